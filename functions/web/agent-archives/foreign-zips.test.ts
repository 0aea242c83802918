import { expect, it } from 'vitest'
import { agentJson } from '#tests/support/conversations/archive-scenes.ts'
import { restoreWorld } from '#tests/support/conversations/restore-world.ts'
import { type ZipEntry, zipOf } from '#tests/support/platform/zip.ts'

const { archives, scenes } = await restoreWorld()

it.each<[string, ZipEntry[], string?]>([
  [
    'Finder, of a folder',
    [
      { name: 'Bo/', mode: 0o040755, flags: 0 },
      { name: 'Bo/agent.json', content: agentJson(), flags: 0, descriptor: true },
      { name: '__MACOSX/Bo/._agent.json', content: 'x', flags: 0 },
      { name: 'Bo/.DS_Store', content: 'x' },
      { name: 'Bo/memory/tea.md', content: 'green' },
      { name: 'Bo/memory/._tea.md', content: 'x' },
    ],
  ],
  [
    'Finder, of the files',
    [
      { name: 'agent.json', content: agentJson() },
      { name: 'memory/tea.md', content: 'green' },
      { name: '__MACOSX/._agent.json', content: 'x' },
      { name: '.DS_Store', content: 'x' },
    ],
  ],
  [
    'Windows',
    [
      { name: String.raw`Bo\agent.json`, content: agentJson(), dos: true, mode: 0, flags: 0 },
      { name: String.raw`Bo\memory\tea.md`, content: 'green', dos: true, mode: 0, zip64: true },
      { name: String.raw`Bo\Thumbs.db`, content: 'x', dos: true, mode: 0 },
      { name: String.raw`Bo\caf\x82\Desktop.ini`, content: 'x', dos: true, mode: 0, flags: 0 },
    ],
    'application/x-zip-compressed',
  ],
  [
    'a program without file types',
    [
      { name: 'agent.json', content: agentJson() },
      { name: 'memory/tea.md', content: 'green' },
    ],
    'application/octet-stream',
  ],
])('accepts a zip that was created by %s', async (_, entries, type) => {
  const headers = type === undefined ? {} : { 'content-type': type }
  const { status, id } = await archives.bring(zipOf(entries), headers)
  expect(status).toBe(201)
  expect(await scenes.stateOf(id)).toMatchObject({ notes: { tea: 'green' } })
})
