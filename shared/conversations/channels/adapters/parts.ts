const fence = '```'

/** Text that stays in one piece: a link or an entity of Slack's text, or a pair of surrogates. */
const whole = /<[^<>\n]*>|&\w+;|[\uD800-\uDBFF][\uDC00-\uDFFF]/g

/**
 * Divides a text into messages of at most `most` UTF-16 units: between lines if possible, otherwise between words. A
 * code block that is cut is closed in one message and opened again in the next.
 */
export function inParts(text: string, most: number): string[] {
  const room = most - 2 * (fence.length + 1)
  const parts: string[] = []
  let part: string[] = []
  let size = 0
  let code = false
  const close = () => {
    const body = [...part, ...(code ? [fence] : [])].join('\n').trim()
    if (body !== '' && body !== fence + '\n' + fence) parts.push(body)
    part = code ? [fence] : []
    size = code ? fence.length + 1 : 0
  }
  for (const line of text.split('\n').flatMap((each) => pieces(each, room))) {
    if (size + line.length > room) close()
    part.push(line)
    size += line.length + 1
    if (line.trimStart().startsWith(fence)) code = !code
  }
  code = false
  close()
  return parts
}

/** Divides one line, at its last space that fits, or at the last place that keeps links and characters whole. */
function pieces(line: string, most: number): string[] {
  const found: string[] = []
  let rest = line
  while (rest.length > most) {
    const held = [...rest.matchAll(whole)].find(
      ({ index, 0: { length } }) => index < most && index + length > most,
    )
    const end = held !== undefined && held.index > 0 ? held.index : most
    const space = rest.lastIndexOf(' ', end)
    const cut = space > most / 2 ? space : end
    found.push(rest.slice(0, cut))
    rest = rest.slice(cut).trimStart()
  }
  return [...found, rest]
}
