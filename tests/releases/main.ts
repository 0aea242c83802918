/**
 * `npm run release:record`: keeps what this release reads and writes, for the releases after it to be compared with, and its
 * commit, for `npm run release:check` to build it from.
 */
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formsOfCode } from './schemas.ts'

const recorded = new Date().toISOString().slice(0, 10)
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
const file = join(import.meta.dirname, 'last.json')
await writeFile(file, `${JSON.stringify({ recorded, commit, ...(await formsOfCode()) })}\n`)
