import { expect, it } from 'vitest'
import type { Mcp } from './client.ts'
import { OwnTools } from './tools.ts'

const inputSchema = { type: 'object' as const, properties: {} }

/** Runs a tool of the platform. @returns what happened, in order */
async function run(name: string, sync: () => Promise<unknown>): Promise<string[]> {
  const happened: string[] = []
  const mcp: Pick<Mcp, 'list' | 'call'> = {
    list: async () => [{ name, description: '', inputSchema }] as never,
    call: async (tool) => {
      happened.push(tool)
      return { text: '{}', isError: false }
    },
  }
  const tools = new OwnTools(mcp as Mcp, {
    sync: () => {
      happened.push('sync')
      return sync()
    },
  })
  const signal = AbortSignal.timeout(30_000)
  const source = await tools.source(signal, 'news')
  const call = { id: '1', type: 'function' as const, function: { name, arguments: '{}' } }
  await source?.run(call, signal)
  return happened
}

it('the files of an agent are stored before it sends one, and before no other tool', async () => {
  expect(await run('send_file', async () => 1)).toEqual(['sync', 'send_file'])
  expect(await run('send_message', async () => 1)).toEqual(['send_message'])
})

it('a file is sent as it was last stored if the files cannot be stored now', async () => {
  const failing = async () => {
    throw new Error('no store')
  }
  expect(await run('send_file', failing)).toEqual(['sync', 'send_file'])
})
