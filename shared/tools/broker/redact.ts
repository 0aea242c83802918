/** Shorter values occur in ordinary words. */
const shortest = 4

/** The minimum length for encoded forms, because a short form may occur anywhere. */
const shortestEncoded = 8

/**
 * Returns the forms of a value that a host may echo: plain, and encoded for URLs, forms, JSON, base64 (at any offset in
 * a longer text) and hex. Returns an empty list for a value that is too short.
 */
export function formsOf(value: string): string[] {
  if (value.length < shortest) return []
  const base64 = [0, 1, 2].map((before) => base64Of(value, before))
  const ofAddresses = [
    encodeURIComponent(value),
    new URLSearchParams({ v: value }).toString().slice(2),
  ]
  const json = JSON.stringify(value).slice(1, -1)
  const encoded = [
    ...ofAddresses,
    ...ofAddresses.map((text) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
    json,
    // The default JSON escapes of PHP and of Go.
    json.replaceAll('/', '\\/'),
    json.replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    Buffer.from(value).toString('hex'),
  ]
  return [...new Set([value, ...encoded.filter(({ length }) => length >= shortestEncoded)])]
}

/**
 * Returns the part of a value's base64 that does not depend on the text around it.
 * @param before the number of bytes before it in a group of three: 0, 1 or 2
 */
function base64Of(value: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)])
  return bytes
    .toString('base64')
    .slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
}

/** Replaces every form of a credential's value in a text with asterisks of the same length. */
export function redactText(text: string, forms: readonly string[]): string {
  return forms.reduce((left, form) => left.replaceAll(form, '*'.repeat(form.length)), text)
}

/**
 * Redacts a streamed body, even if a form spans several chunks. The length stays the same, and only bytes that may
 * start a form are delayed.
 */
export async function* redactStream(
  body: AsyncIterable<Buffer>,
  forms: readonly string[],
): AsyncGenerator<Buffer, void> {
  const needles = forms.map((form) => Buffer.from(form))
  let buffered: Buffer | undefined
  for await (const chunk of body) {
    const bytes = buffered === undefined ? chunk : Buffer.concat([buffered, chunk])
    for (const needle of needles) blankOut(bytes, needle)
    const retained = Math.max(0, ...needles.map((needle) => beginningAtEnd(bytes, needle)))
    const end = bytes.length - retained
    // Copied, so that the whole chunk does not stay in memory.
    buffered = retained === 0 ? undefined : Buffer.from(bytes.subarray(end))
    if (end > 0) yield bytes.subarray(0, end)
  }
  if (buffered !== undefined) yield buffered
}

/** Changes the chunk in place, because no other code uses it. */
function blankOut(bytes: Buffer, needle: Buffer): void {
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + needle.length))
    bytes.fill('*', at, at + needle.length)
}

/** Returns the number of bytes at the end that may start the needle. */
function beginningAtEnd(bytes: Buffer, needle: Buffer): number {
  const from = Math.max(0, bytes.length - needle.length + 1)
  const first = needle[0] as number
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1))
    if (bytes.compare(needle, 0, bytes.length - at, at) === 0) return bytes.length - at
  return 0
}
