/** The longest name of a stored file in bytes, with its ending. */
const longestName = 150

/** Characters that are no part of a usual name: separators of paths, controls, and what a shell would read. */
const unusual = /[^\p{L}\p{N}\p{M}._ ()+-]+/gu

/**
 * Returns the path in the agent's workspace of a file that came with a message. The name is the sender's without unusual
 * characters; the end of the pack's id makes the path unique.
 * @param pack a ULID
 */
export function inboxPath(kind: string, { name, pack }: { name: string; pack: string }): string {
  return `inbox/${kind}/${pack.slice(-10).toLowerCase()}-${safeName(name)}`
}

function safeName(name: string): string {
  const safe = name
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(unusual, '_')
    .replace(/^[. ]+/, '')
  const ending = /\.[\p{L}\p{N}]{1,10}$/u.exec(safe)?.[0] ?? ''
  const stem = cutTo(safe.slice(0, safe.length - ending.length), longestName - bytes(ending)).trim()
  return `${stem === '' ? 'file' : stem}${ending}`
}

function cutTo(text: string, most: number): string {
  let [cut, size] = ['', 0]
  for (const character of text) {
    size += bytes(character)
    if (size > most) break
    cut += character
  }
  return cut
}

const bytes = (text: string) => Buffer.byteLength(text)
