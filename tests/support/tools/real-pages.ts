import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Ordered by size; see bench/summarizer/pages/README.md. */
export const realPages = ['node-path', 'node-fs', 'rust-book'] as const

export function realPage(name: (typeof realPages)[number]): string {
  const file = join(import.meta.dirname, '../../../bench/summarizer/pages', `${name}.html.gz`)
  return gunzipSync(readFileSync(file)).toString()
}
