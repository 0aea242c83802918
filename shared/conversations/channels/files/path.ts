/** The longest name of a stored file in bytes, with its extension. */
const longestName = 150

/** Characters that common names do not contain: path separators, control characters, and characters of a shell. */
const unusual = /[^\p{L}\p{N}\p{M}._ ()+-]+/gu

/**
 * Returns the path in the agent's workspace for a file that came with a message. Its name is the name that the sender
 * chose, without unusual characters. The end of the pack's id makes the path unique.
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
