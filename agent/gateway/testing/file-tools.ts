import { mkdir, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { beforeEach, expect } from 'vitest'
import { askFor, question } from './played-bus.ts'
import { type Call, say, sendJson } from './upstream.ts'
import { useAgent } from './use.ts'

const storeRoutes = '/api/agent-files/'

/** A platform without stored files, which stores none. */
function storesNothing(response: ServerResponse, { path }: Call): void {
  if (path !== `${storeRoutes}open`) return sendJson(response, 404, { error: 'Not found' })
  const nothing = { version: 0, origin: 'none', root: null, bytes: 0, files: 0, fileLimit: 200_000 }
  sendJson(response, 200, nothing)
}

/** Starts a gateway with the tools for files, and a played model. Each test begins with an empty workspace. */
export function useFileTools() {
  const on = useAgent('all', { AGENT_FILES: '1' }, storesNothing)
  /** The requests to the model. */
  const turns: Call[] = []
  /** The model's behaviour by turn. After the last, it replies. */
  const rounds: ((response: ServerResponse) => void)[] = []
  const workspace = (...names: string[]) => join(on.home.workspace, 'workspace', ...names)

  beforeEach(async () => {
    await rm(workspace(), { recursive: true, force: true })
    turns.length = 0
    rounds.length = 0
    on.upstream.reply = (response, call) => {
      if (call.path?.startsWith(storeRoutes) === true) return storesNothing(response, call)
      turns.push(call)
      return (rounds.shift() ?? ((to) => say(to, 'Done.')))(response)
    }
  })

  return {
    on,
    turns,
    rounds,
    workspace,
    async put(path: string, content: string | Buffer): Promise<void> {
      await mkdir(dirname(workspace(path)), { recursive: true })
      await writeFile(workspace(path), content)
    },
    /** Lets the model call tools in one turn. @returns their results */
    async results(...calls: [name: string, given: unknown][]): Promise<object[]> {
      const asked = calls.map(([name, given], i) => ({ name, given, id: `call_${i}` }))
      rounds.push((response) => askFor(response, ...asked))
      const answer = await on.gateway.chat(question)
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Done.')])
      const messages = turns.at(-1)?.body.messages ?? []
      return messages
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => JSON.parse(content) as object)
    },
  }
}
