-- A fixed load for wrk: a connection pauses before each request for a random time, so that the rate does not depend on the
-- speed of the responses. Every response must be one of those that the same requests had before the load.
--
-- Arguments: a file of requests, the seed, the seconds in which requests are sent, the mean pause in milliseconds. The file
-- has three lines for each request: its target, its header, and the body of its response.

local requests, expected = {}, {}
local stop, pause
local threads = {}

-- Counts of a thread: wrk reads only globals. Before the load, wrk makes a request that it does not send.
sent, received, wrong = -1, 0, 0

function setup(thread)
  table.insert(threads, thread)
  thread:set("number", #threads)
end

function init(arguments)
  local next_line = io.lines(arguments[1])
  for target in next_line do
    local name, value = next_line():match("^(.-): (.*)$")
    table.insert(requests, wrk.format("GET", target, { [name] = value }))
    expected[next_line()] = true
  end
  math.randomseed(arguments[2] + number)
  stop = os.time() + arguments[3]
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
  return requests[math.random(#requests)]
end

function response(status, headers, body)
  received = received + 1
  if status ~= 200 or not expected[body] then
    wrong = wrong + 1
    if wrong <= 5 then
      io.stderr:write(string.format("wrong: %d %s\n", status, body:sub(1, 200)))
    end
  end
end

function done(summary, latency)
  local total = { sent = 0, received = 0, wrong = 0 }
  for _, thread in ipairs(threads) do
    for name in pairs(total) do
      total[name] = total[name] + thread:get(name)
    end
  end
  local broken = summary.errors.connect + summary.errors.read + summary.errors.write
  io.write(string.format(
    '\n{"sent":%d,"received":%d,"wrong":%d,"broken":%d,"p50":%.1f,"p99":%.1f,"max":%.1f}\n',
    total.sent, total.received, total.wrong, broken,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000
  ))
end
