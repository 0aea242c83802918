import { mkdtemp, readFile, rm, writeFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

  it.each([
    [['screen', 'x'], /^usage:/],
    [['noun', 'agents/labels'], /^usage:/],
    [['row', '../outside', 'label'], /^usage:/],
    [['route', 'web', 'agents', 'SEND', '/x'], /^usage:/],
    [['noun', 'nowhere/labels', 'labels'], /^nowhere is none of agents$/],
    [['noun', 'agents/record', 'again'], /^agents has a noun record$/],
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
