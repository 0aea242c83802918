/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Text fields that arrive in parts. Other texts, such as an id or a signature, arrive whole. */
const growing = /(^|_)(content|text|thinking|reasoning|thoughts?|refusal|summary|input)$/

/**
 * Adds the fields of a chunk to the fields of earlier chunks: merges objects by name and lists by item, and appends
 * text. A provider expects its own fields (reasoning, signatures) back in the next request, so they are merged without
 * interpreting them.
 */
export function mergeFields(known: Fields, added: Fields): Fields {
  const merged: Record<string, unknown> = { ...known }
  for (const [name, value] of Object.entries(added)) {
    if (value === null || name === '__proto__') continue
    merged[name] = mergeValues(merged[name], value, growing.test(name))
  }
  return merged
}

function mergeValues(known: unknown, added: unknown, grows: boolean): unknown {
  if (isFields(known) && isFields(added)) return mergeFields(known, added)
  if (Array.isArray(known) && Array.isArray(added)) return mergeLists(known, added)
  return grows && typeof known === 'string' && typeof added === 'string' ? known + added : added
}

function mergeLists(known: readonly unknown[], added: readonly unknown[]): unknown[] {
  const merged = [...known]
  for (const item of added) {
    const last = merged.at(-1)
    if (isFields(last) && isFields(item) && continues(last, item))
      merged.splice(-1, 1, mergeFields(last, withoutRepeats(last, item)))
    else merged.push(item)
  }
  return merged
}

/** LiteLLM repeats the whole text of a block beside its signature: https://github.com/open-webui/open-webui/pull/29860 */
function withoutRepeats(last: Fields, item: Fields): Fields {
  if (!isText(item['signature'])) return item
  const entries = Object.entries(item)
  return Object.fromEntries(
    entries.filter(([name, value]) => !growing.test(name) || value !== last[name]),
  )
}

/** True if an item continues the last one. A signature ends an item. */
function continues(last: Fields, item: Fields): boolean {
  const isSame = (name: string) => (last[name] ?? null) === (item[name] ?? null)
  const isOther = (name: string) => isText(last[name]) && isText(item[name]) && !isSame(name)
  if (!isSame('type') || !isSame('index') || isOther('id')) return false
  if (isText(last['signature'])) return false
  const hasText = Object.entries(item).some(([name, value]) => growing.test(name) && value !== '')
  // The AI gateway numbers the parts of a content, so two pieces with one index belong to one part.
  return hasText || isText(item['signature']) || isFields(item['part'])
}
