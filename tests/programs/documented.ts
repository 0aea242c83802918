import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const page = readFileSync(join(import.meta.dirname, '../../docs/use/models.md'), 'utf8')

/** Returns the code block of docs/use/models.md with this info string. @throws Error if it does not exist */
export function documented(info: string): string {
  const [, block] = new RegExp(`^\`\`\`${info}\\n([^]*?)^\`\`\`$`, 'm').exec(page) ?? []
  if (block === undefined) throw new Error(`docs/use/models.md has no block ${info}`)
  return block
}
