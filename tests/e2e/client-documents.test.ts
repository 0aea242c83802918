import { describe, expect, it } from 'vitest'
import { runBlocks } from '../support/stack/document.ts'
import { keyOf, newSubscriber, stack } from '../support/stack/platform.ts'

describe.runIf(process.platform === 'linux')(
  'the documents of the client and the command line',
  () => {
    it('work as written, from the README’s first words to the last command', async () => {
      // The words that create a key belong to the README's reader.
      const documents = [
        'README.md',
        'docs/use/connect.md',
        'docs/use/cli.md',
        'docs/use/client.md',
      ]
      const [commands = '', client] = (await runBlocks(documents, 'tour|programs')).slice(-2)
      expect(commands).toMatch(
        /is ready\nSigned in at http[^]*\(solo\) at http[^]*agt_\w+\n[^]*You said: Hello/,
      )
      expect(commands).toMatch(/city\nTrieste\n[^]*agent_id[^]*"name":"Melody"/)
      expect(client).toMatch(/You said: Hello[^]*\nreq_\w+\n/)
    })

    it('the document of agents as files works as written', async () => {
      const key = await keyOf(await newSubscriber('network'))
      const environment = { PLATFORM_URL: stack().web, PLATFORM_API_KEY: key }
      const [printed] = await runBlocks('docs/operate/backups.md', 'archives', { environment })
      expect(printed).toMatch(/"saved":true[^]*"name":"Melody"[^]*"name":"Melody again"/)
    })
  },
)
