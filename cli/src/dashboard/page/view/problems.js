// What went wrong, in words, and what can be done about it.

const TITLES = {
  unreachable: "The server does not answer",
  unexpected: "The server gave an unexpected answer",
  unauthenticated: "The key is not accepted",
  forbidden: "The key is not for this project",
  missing_parameter: "The API does not accept this question",
  invalid_parameter: "The API does not accept this question",
  unknown_parameter: "The API does not know a part of this question",
  duplicate_parameter: "The API does not accept this question",
  bad_request: "The question is too long",
  too_many_requests: "Too many requests at once",
  too_many_groups: "Too many groups",
  response_too_large: "The answer would be too large",
  unavailable: "The service is busy",
  period_too_large: "The period is too large",
  internal: "The service failed",
  bad_gateway: "The API cannot be reached",
  not_found: "There is no such API at this address",
  method_not_allowed: "There is no such API at this address",
};

const HELD = "The key is that of FEEDBACK_READ_KEY, where feedback dashboard was started: start it again with another.";

const ADVICE = {
  unauthenticated: HELD,
  forbidden: HELD,
  unreachable: "Is it running, and are you connected?",
  bad_request: "Remove some filters, or shorten their values.",
  too_many_requests: "Try again in a moment.",
  unavailable: "Try again in a moment.",
  period_too_large: "A shorter period, or the same one later, may succeed.",
};

export function problemTitle({ code }) {
  return TITLES[code] ?? "The service refused the question";
}

// Says what happened: the API's own words, and how whoever runs the service finds the request.
export function problemLines({ code, details, id, status }) {
  const own = code === "unexpected" ? [`It answered with status ${status}, and not as this API does.`] : [];
  const request = code === "internal" && id ? [`Request ${id}`] : [];
  return [...own, ...details, ...(code in ADVICE ? [ADVICE[code]] : []), ...request];
}

// Says it in one line, for a part of the page.
export function problemText(failure) {
  return `${problemTitle(failure)}. ${problemLines(failure).join(" ")}`;
}

// Returns whether the same question may succeed later.
export function isPassing({ code }) {
  return ["unreachable", "unexpected", "too_many_requests", "unavailable", "internal", "period_too_large", "bad_gateway"].includes(code);
}
