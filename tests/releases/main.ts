/**
 * `npm run release:record`: stores this release's forms of rows and messages for comparison with later releases, and
 * its commit, which `npm run release:check` builds.
 */
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formsOfCode } from './schemas.ts'

const recorded = new Date().toISOString().slice(0, 10)
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
const commit = git('rev-parse', 'HEAD')
// All forms are defined in this folder.
const changed = git('status', '--short', '--', 'shared')
if (changed !== '') {
  process.stderr.write(`commit these first, or check out the successful release:\n${changed}\n`)
  process.exit(1)
}
const file = join(import.meta.dirname, 'last.json')
await writeFile(file, `${JSON.stringify({ recorded, commit, ...(await formsOfCode()) })}\n`)
