import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')

const linesOf = (file: string) =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .map((line) => ({ file, line: line.trim() }))

const byDigest = /@sha256:[0-9a-f]{64}$/

describe('a base image', () => {
  const bases = tracked
    .filter((file) => /(?:^|\/)(?:[\w.-]+\.)?Dockerfile$/.test(file))
    .flatMap(linesOf)
    .filter(({ line }) => /^FROM\s/i.test(line))

  it('is found', () => {
    expect(bases.map(({ file }) => file)).toContain('agent/image/Dockerfile')
  })

  it.each(bases)('is pinned by its digest: $file $line', ({ line }) => {
    expect(line.split(/\s+/)[1]).toMatch(byDigest)
  })
})

describe('an image that a deployment runs unchanged', () => {
  const images = tracked
    .filter((file) => /^(?:stacks\/[^/]+\.ts|sst\.config\.ts)$/.test(file))
    .flatMap(linesOf)
    .flatMap(({ file, line }) =>
      [...line.matchAll(/'((?:[\w-]+\.)+[a-z]+\/[\w./-]+:[^\s']+)'/g)].map(([, image]) => ({
        file,
        image,
      })),
    )

  it('is found in the declared resources', () => {
    expect(images.map(({ file }) => file)).toContain('stacks/router-task.ts')
  })

  it.each(images)('is pinned by its digest: $file $image', ({ image }) => {
    expect(image).toMatch(byDigest)
  })
})

describe('an action of a workflow', () => {
  const actions = tracked
    .filter((file) => /^\.(?:github|gitea|forgejo)\/.*\.ya?ml$/.test(file))
    .flatMap(linesOf)
    .flatMap(({ file, line }) => {
      const action = /^(?:- +)?uses: *["']?([^\s"'#]+)/.exec(line)?.[1]
      return action === undefined || action.startsWith('./') ? [] : [{ file, action }]
    })

  it('is pinned by its commit', () => {
    expect(actions.filter(({ action }) => !/@[0-9a-f]{40}$/.test(action))).toEqual([])
  })
})
