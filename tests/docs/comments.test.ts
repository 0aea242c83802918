import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n')

/** A path of a source file, such as `chat/converse.ts`. */
const path = /(?<![\w./@-])(?:\.{1,2}\/)*[\w-]+(?:\/[\w.-]+)+\.tsx?\b/g

/** Returns the paths in the comments of a file. Web addresses are left out. */
function pathsIn(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^\s*(?:\*|\/\/|\/\*)/.test(line) && !/https?:/.test(line))
    .flatMap((line) => line.match(path) ?? [])
}

it('each file that a comment names exists', () => {
  const named = files
    .filter((file) => /\.(?:tsx?|mjs)$/.test(file))
    .flatMap((file) => pathsIn(file).map((name) => ({ file, name })))
  expect(named.length).toBeGreaterThan(40)
  const missing = named.filter(({ name }) => {
    const end = `/${name.replace(/^[./]+/, '')}`
    return !files.some((each) => `/${each}`.endsWith(end))
  })
  expect(missing).toEqual([])
})
