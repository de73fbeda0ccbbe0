"""The Lua scripts that change a live copy atomically: a part is never seen half changed.

A part is a hash, in which

- ``mark`` says to which change of the conversation it belongs,
- ``=name`` is a value: its checksum and its JSON, or ``[`` for a list that grows, or ``>`` for a
  large value,
- ``lists`` names the lists that hold these two, one word each: ``{key of the part}:{word}``,
- ``#word`` counts of a list: all its bytes, the pieces and bytes that are not sealed yet, its
  checksum,
- ``seconds`` is after how long it expires, 0 for never,
- ``fields`` is the number of fields, this one included.

``checksums`` explains the checksums.

Pieces are joined without separators; those of a growing list bring the commas before their
elements. Single pieces are slow to read, so 256 of them become one.

The names of lists come from the hash, not from KEYS; their braces put them into the same slot.
"""

from typing import Final

from checkpoints.live_copy.checksums import JOINED
from ctxadmin.storage.redis.link import Script

SEALED_PIECES: Final = 256
SEALED_BYTES: Final = 256 * 1024

_COMMON: Final = """
local function mark_of(part)
  local kind = redis.call('TYPE', part).ok
  if kind == 'hash' then return redis.call('HGET', part, 'mark') or '' end
  if kind ~= 'none' then redis.call('DEL', part) end
  return ''
end
local function lists_of(part)
  return redis.call('HGET', part, 'lists') or ''
end
local function drop(part)
  for word in string.gmatch(lists_of(part), '%S+') do redis.call('DEL', part .. ':' .. word) end
  redis.call('DEL', part)
end
local function expire(part, seconds)
  if seconds == '0' and redis.call('HGET', part, 'seconds') == '0' then return end
  redis.call('HSET', part, 'seconds', seconds)
  local keys = {part}
  for word in string.gmatch(lists_of(part), '%S+') do keys[#keys + 1] = part .. ':' .. word end
  for _, key in ipairs(keys) do
    if seconds == '0' then redis.call('PERSIST', key) else redis.call('EXPIRE', key, seconds) end
  end
end
local function has_all_fields(part)
  return redis.call('HGET', part, 'fields') == tostring(redis.call('HLEN', part))
end
local function count_fields(part)
  redis.call('HSETNX', part, 'fields', 0)
  redis.call('HSET', part, 'fields', redis.call('HLEN', part))
end
"""

# KEYS: the parts. ARGV, for each part: the mark before, the mark after, seconds, number of steps,
# five words for each step. The answer: how many parts follow.
MOVE: Final = Script(
    _COMMON
    + JOINED
    + """
local function forget(part, word)
  local lists = ''
  for other in string.gmatch(lists_of(part), '%S+') do
    if other ~= word then lists = lists .. other .. ' ' end
  end
  redis.call('HSET', part, 'lists', lists)
  redis.call('HDEL', part, '#' .. word)
  redis.call('DEL', part .. ':' .. word)
end
local function remove(part, name, word)
  if redis.call('HEXISTS', part, '#' .. word) == 1 then forget(part, word) end
  redis.call('HDEL', part, '=' .. name)
end
local function begin(part, name, word, kind, sum)
  remove(part, name, word)
  redis.call('HSET', part, '=' .. name, kind, '#' .. word, '0 0 0 ' .. sum,
    'lists', lists_of(part) .. word .. ' ')
end
local function counts_of(part, word)
  return string.match(redis.call('HGET', part, '#' .. word) or '', '^(%d+) (%d+) (%d+) (%x+)$')
end
local function push(part, word, piece, sum)
  local bytes, open, open_bytes, before = counts_of(part, word)
  if not bytes then return false end
  local list = part .. ':' .. word
  redis.call('RPUSH', list, piece)
  bytes, open, open_bytes = bytes + #piece, open + 1, open_bytes + #piece
  if open >= SEALED_PIECES or open_bytes >= SEALED_BYTES then
    if open > 1 then
      local pieces = redis.call('LRANGE', list, -open, -1)
      redis.call('LTRIM', list, 0, -open - 1)
      redis.call('RPUSH', list, table.concat(pieces))
    end
    open, open_bytes = 0, 0
  end
  redis.call('HSET', part, '#' .. word,
    string.format('%d %d %d %s', bytes, open, open_bytes, joined(before, sum, #piece)))
  return true
end
local function take(part, word, from, bytes, sum)
  local held, _, _, before = counts_of(part, word)
  if not held or redis.call('EXISTS', from) == 0 then return false end
  while redis.call('LMOVE', from, part .. ':' .. word, 'LEFT', 'RIGHT') do end
  redis.call('HSET', part, '#' .. word,
    string.format('%d 0 0 %s', held + bytes, joined(before, sum, tonumber(bytes))))
  return true
end
local function step(part, kind, name, word, data, sum)
  if kind == '=' then
    remove(part, name, word)
    redis.call('HSET', part, '=' .. name, sum .. data)
  elseif kind == '-' then
    remove(part, name, word)
  elseif kind == '[' or kind == '>' then
    begin(part, name, word, kind, sum)
  elseif kind == '+' then
    return push(part, word, data, sum)
  elseif kind == '<' then
    return take(part, word, name, data, sum)
  else
    return false
  end
  return true
end

local at, followed = 1, 0
for _, part in ipairs(KEYS) do
  local before, after, seconds, steps = ARGV[at], ARGV[at + 1], ARGV[at + 2], tonumber(ARGV[at + 3])
  local stands, first = mark_of(part), at + 4
  at = first + 5 * steps
  if stands == before then
    local whole = steps == 0 or has_all_fields(part)
    redis.call('HDEL', part, 'mark')
    if steps > 0 and ARGV[first] == 'clear' then
      drop(part)
      first = first + 5
    end
    for place = first, at - 1, 5 do
      whole = whole and step(part, unpack(ARGV, place, place + 4))
    end
    if whole then
      redis.call('HSET', part, 'mark', after)
      expire(part, seconds)
      if steps > 0 then count_fields(part) end
      followed = followed + 1
    else
      drop(part)
    end
  elseif stands ~= '' then
    drop(part)
  end
end
return followed
""".replace("SEALED_PIECES", str(SEALED_PIECES)).replace("SEALED_BYTES", str(SEALED_BYTES))
)

# KEYS: the part, the new one beside it. ARGV: the mark at which it was seen, seconds.
PUT: Final = Script(
    _COMMON
    + """
local part, new = KEYS[1], KEYS[2]
if mark_of(part) ~= ARGV[1] or redis.call('EXISTS', new) == 0 then return 0 end
local lists = lists_of(new)
for word in string.gmatch(lists, '%S+') do
  local bytes = redis.call('HGET', new, '#' .. word)
  local is_empty = string.sub(bytes or '', 1, 2) == '0 '
  if redis.call('EXISTS', new .. ':' .. word) == 0 and not is_empty then return 0 end
end
drop(part)
redis.call('RENAME', new, part)
for word in string.gmatch(lists, '%S+') do
  if redis.call('EXISTS', new .. ':' .. word) == 1 then
    redis.call('RENAME', new .. ':' .. word, part .. ':' .. word)
  end
end
expire(part, ARGV[2])
count_fields(part)
return 1
"""
)

# KEYS: the parts. The answer: how many there were.
DROP: Final = Script(
    _COMMON
    + """
local found = 0
for _, part in ipairs(KEYS) do
  if redis.call('EXISTS', part) == 1 then found = found + 1 end
  if redis.call('TYPE', part).ok == 'hash' then drop(part) else redis.call('DEL', part) end
end
return found
"""
)
