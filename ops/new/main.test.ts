import { execFile } from 'node:child_process'
import { glob, mkdtemp, readFile, rm, writeFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scaffold } from './main.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'new-'))
  await mkdir(join(root, 'shared'))
  const districts = [{ name: 'agents', about: 'Agents.', nouns: { record: 'the record' } }]
  await writeFile(join(root, 'shared/districts.json'), JSON.stringify(districts))
})
afterEach(() => rm(root, { recursive: true }))

const text = (path: string) => readFile(join(root, path), 'utf8')

describe('npm run new', () => {
  it('writes a noun with its line, and lists the remaining steps', async () => {
    const printed = await scaffold(root, ['noun', 'agents/labels', 'labels of agents'])
    expect(printed).toContain('wrote shared/agents/labels/labels.ts')
    expect(printed).toContain('npx vitest run tests/docs/districts -u')
    expect(JSON.parse(await text('shared/districts.json'))).toEqual([
      {
        name: 'agents',
        about: 'Agents.',
        nouns: { record: 'the record', labels: 'labels of agents' },
      },
    ])
    expect(await text('shared/agents/labels/labels.ts')).toContain('export async function labels(')
  })

  it('writes a row and a job, and prints a route', async () => {
    await scaffold(root, ['row', 'agents/labels', 'label'])
    expect(await text('shared/agents/labels/rows.ts')).toContain("sk: 'label#{labelId}'")
    await scaffold(root, ['job', 'agents/labels', 'label-checks'])
    expect(await text('functions/jobs/label-checks.ts')).toContain('topic: labelChecks')
    const printed = await scaffold(root, [
      'route',
      'web',
      'agents',
      'POST',
      '/api/agents/:id/labels',
    ])
    expect(printed).toContain("path: '/api/agents/:id/labels'")
    expect(printed).toContain('clients/typescript/resources/')
  })

  it('writes durable work that compiles as it is, and is short', { timeout: 120_000 }, async () => {
    // The manifest has a queue and a schedule of these names.
    await scaffold(root, ['job', 'tools/example', 'videos'])
    const repository = resolve(import.meta.dirname, '../..')
    const paths = {
      '#shared/tools/example/*': [join(root, 'shared/tools/example/*')],
      '#shared/*': [join(repository, 'shared/*')],
      zod: [join(repository, 'node_modules/zod')],
    }
    const types = [join(repository, 'node_modules/@types/node')]
    const compilerOptions = { paths, types, rootDirs: [root, repository], incremental: false }
    const project = {
      extends: join(repository, 'tsconfig.app.json'),
      compilerOptions: { ...compilerOptions, tsBuildInfoFile: null },
      include: ['shared', 'functions'],
    }
    await writeFile(join(root, 'tsconfig.json'), JSON.stringify(project))
    const tsc = join(repository, 'node_modules/typescript-native/bin/tsc')
    const checked = promisify(execFile)(process.execPath, [tsc, '-p', root])
    expect(await checked.catch(({ stdout }: { stdout: string }) => ({ stdout }))).toMatchObject({
      stdout: '',
    })
    const code: string[] = []
    for await (const path of glob('shared/tools/example/work/*.ts', { cwd: root }))
      code.push(
        ...(await text(path)).split('\n').filter((line) => /^(?!import)\s*\w|^[})]/.test(line)),
      )
    expect(code.length).toBeGreaterThan(20)
    expect(code.length).toBeLessThan(40)
  })

  it.each([
    [['screen', 'x'], /^usage:/],
    [['noun', 'agents/labels'], /^usage:/],
    [['row', '../outside', 'label'], /^usage:/],
    [['route', 'web', 'agents', 'SEND', '/x'], /^usage:/],
    [['noun', 'nowhere/labels', 'labels'], /^nowhere is not one of agents$/],
    [['noun', 'agents/record', 'again'], /^agents already has a noun record$/],
  ])('rejects %j', async (words, message) => {
    await expect(scaffold(root, words)).rejects.toThrow(message)
  })

  it('never overwrites a file', async () => {
    await scaffold(root, ['row', 'agents/labels', 'label'])
    await expect(scaffold(root, ['row', 'agents/labels', 'other'])).rejects.toThrow(
      'rows.ts exists',
    )
  })
})
