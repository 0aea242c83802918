import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runBlocks } from '../support/stack/document.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'
import { startNotes } from '../support/tools/start-notes.ts'

describe.runIf(process.platform === 'linux')('the document of connections', () => {
  let notes: Awaited<ReturnType<typeof startNotes>>
  let stack: OwnStack
  beforeAll(async () => {
    notes = await startNotes()
    stack = await startOwnStack(notes.settings)
  })
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]()
    await notes?.close()
  })

  it('works as written, from the first words to a deleted connection', async () => {
    const now = stack.now()
    // The reader's address: the callback leads there, with the cookies of that host.
    const at = { ...now, web: now.web.replace('127.0.0.1', 'localhost') }
    const printed = await runBlocks(
      ['README.md', 'docs/use/connect.md', 'docs/use/connections.md'],
      'tour|programs|connections',
      {
        at,
        environment: {
          ...notes.settings,
          NOTES: notes.url,
          DATA_DIR: at.dataDir,
          BACKEND_URL: at.backend,
        },
        timeout: 170_000,
      },
    )
    const [added, signedIn, called, deleted] = printed.slice(-4)
    expect(added).toMatch(/^Sign in at http:/)
    expect(signedIn).toMatch(/\/agents\/agt_\w+\/connections\?connection=notes$/m)
    expect(signedIn).toMatch(/^list_notes +no +Lists the notes$/m)
    expect(signedIn).toMatch(/^notes +connected +1 of 2 +https:/m)
    expect(called).toMatch(/"text":"Buy tea\."[^]*Tool not found[^]*list_notes +allow +200/)
    expect(deleted).toMatch(/^notes$/m)
  }, 180_000)
})
