import { describe, expect, it } from 'vitest'
import { runBlocks } from '../support/document.ts'
import { call, newSubscriber, stack } from '../support/platform.ts'

describe.runIf(process.platform === 'linux')(
  'the documents of the client and the command line',
  () => {
    it('do what they say, from the first command to the last', async () => {
      const { session } = await newSubscriber('network')
      const made = await call(`${stack().web}/api/keys`, {
        headers: session,
        body: { name: 'docs' },
      })
      const environment = { PLATFORM_URL: stack().web, PLATFORM_API_KEY: String(made.body.key) }
      const [client] = await runBlocks('docs/client.md', 'client', environment)
      expect(client).toMatch(/"status":"ready"[^]*You said: Hello[^]*\nreq_\w+\n/)
      const [commands] = await runBlocks('docs/cli.md', 'cli', environment)
      expect(commands).toMatch(
        /Signed in at http[^]*\(network\) at http[^]*agt_\w+\n[^]*You said: Hello/,
      )
      expect(commands).toMatch(/city\nTrieste\n[^]*agent_id[^]*"name":"Melody"/)
    })
  },
)
