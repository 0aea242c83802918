/** Shorter ones are parts of ordinary words. */
const shortest = 4

/** The same for encoded forms: a short one may stand for anything. */
const shortestEncoded = 8

/**
 * What hosts write where they say a value back: the value, and as it stands in addresses, forms, JSON, base64 (also in the middle of a
 * longer text) and hex. None for a value that is too short to be looked for.
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
    // As PHP and as Go write it unless they are told otherwise.
    json.replaceAll('/', '\\/'),
    json.replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    Buffer.from(value).toString('hex'),
  ]
  return [...new Set([value, ...encoded.filter(({ length }) => length >= shortestEncoded)])]
}

/**
 * The part of a value's base64 that stays the same whatever stands around the value.
 * @param before how many bytes of a group of three come before it: 0, 1 or 2
 */
function base64Of(value: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)])
  return bytes
    .toString('base64')
    .slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
}

/** Puts as many asterisks in the place of a credential's value wherever one of its forms stands in a text. */
export function redactText(text: string, forms: readonly string[]): string {
  return forms.reduce((left, form) => left.replaceAll(form, '*'.repeat(form.length)), text)
}

/**
 * The same of a body that streams, also where a form is spread over several chunks. The length stays what it was, and
 * no byte is held back that cannot be a form's beginning.
 */
export async function* redactStream(
  body: AsyncIterable<Buffer>,
  forms: readonly string[],
): AsyncGenerator<Buffer, void> {
  const needles = forms.map((form) => Buffer.from(form))
  let held: Buffer | undefined
  for await (const chunk of body) {
    const bytes = held === undefined ? chunk : Buffer.concat([held, chunk])
    for (const needle of needles) blankOut(bytes, needle)
    const kept = Math.max(0, ...needles.map((needle) => beginningAtEnd(bytes, needle)))
    const end = bytes.length - kept
    // A copy: the rest of the chunk would be kept with it.
    held = kept === 0 ? undefined : Buffer.from(bytes.subarray(end))
    if (end > 0) yield bytes.subarray(0, end)
  }
  if (held !== undefined) yield held
}

/** In place: nobody else holds the chunk. */
function blankOut(bytes: Buffer, needle: Buffer): void {
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + needle.length))
    bytes.fill('*', at, at + needle.length)
}

/** How many bytes at the end could be the beginning of the needle. */
function beginningAtEnd(bytes: Buffer, needle: Buffer): number {
  const from = Math.max(0, bytes.length - needle.length + 1)
  const first = needle[0] as number
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1))
    if (bytes.compare(needle, 0, bytes.length - at, at) === 0) return bytes.length - at
  return 0
}
