-- A fixed load for wrk: a connection pauses before each request for a random time, so that the rate does not depend on the
-- speed of the responses. Every response must be one of those that the same requests had before the load.
--
-- Arguments: a file of requests, the seed, the seconds in which requests are sent, the mean pause in milliseconds. The file
-- has three lines for each request: its target, its header, and the body of its response.
--
-- wrk does not say which request an error befell: it is one whose response never came.

local requests, bodies, targets = {}, {}, {}
local start, stop, pause
local threads = {}

-- Counts of a thread: wrk reads only globals. Before the load, wrk makes a request that it does not send.
sent, received, wrong = -1, 0, 0
-- How many requests for a target, or others with the same response, wait for it, and since which second at least one does.
waiting, since = {}, {}

function setup(thread)
  table.insert(threads, thread)
  thread:set("number", #threads)
end

function init(arguments)
  local next_line = io.lines(arguments[1])
  for target in next_line do
    local name, value = next_line():match("^(.-): (.*)$")
    local body = next_line()
    table.insert(requests, wrk.format("GET", target, { [name] = value }))
    table.insert(bodies, body)
    targets[body] = target
    waiting[target] = 0
  end
  math.randomseed(arguments[2] + number)
  start = os.time()
  stop = start + arguments[3]
  pause = tonumber(arguments[4])
end

-- In the end connections stay silent, so that a request without a response is one that hangs.
function delay()
  if os.time() >= stop then
    return 3600 * 1000
  end
  return math.random(0, 2 * pause)
end

function request()
  sent = sent + 1
  local chosen = math.random(#requests)
  if sent > 0 then
    local target = targets[bodies[chosen]]
    if waiting[target] == 0 then
      since[target] = os.time() - start
    end
    waiting[target] = waiting[target] + 1
  end
  return requests[chosen]
end

function response(status, headers, body)
  received = received + 1
  local target = targets[body]
  if status == 200 and target then
    waiting[target] = waiting[target] - 1
    return
  end
  wrong = wrong + 1
  if wrong <= 5 then
    io.stderr:write(string.format("wrong after %d s: %d %s\n", os.time() - start, status, body:sub(1, 200)))
  end
end

-- Returns the requests of a thread without a right response, a line each.
local function unanswered(thread)
  local lines, since = {}, thread:get("since")
  for target, count in pairs(thread:get("waiting")) do
    if count > 0 then
      table.insert(lines, string.format("wrk: %d without a response, sent after %d s: %s\n", count, since[target], target))
    end
  end
  return table.concat(lines)
end

function done(summary, latency)
  local errors = summary.errors
  local total = { sent = 0, received = 0, wrong = 0 }
  for _, thread in ipairs(threads) do
    for name in pairs(total) do
      total[name] = total[name] + thread:get(name)
    end
  end
  local broken = errors.connect + errors.read + errors.write
  if broken + errors.timeout > 0 then
    io.write(string.format(
      "\nwrk: %d connect, %d read, %d write, %d timeout errors\n",
      errors.connect, errors.read, errors.write, errors.timeout
    ))
    for _, thread in ipairs(threads) do
      io.write(unanswered(thread))
    end
  end
  io.write(string.format(
    '\n{"sent":%d,"received":%d,"wrong":%d,"broken":%d,"late":%d,"p50":%.1f,"p99":%.1f,"max":%.1f}\n',
    total.sent, total.received, total.wrong, broken, errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000
  ))
end
