import { describe, expect, it } from 'vitest'
import { eventually } from '../../tests/support/clock/eventually.ts'
import { events, json, startFailingServer } from '../../tests/support/http/failing-server.ts'
import { commandLine, programSource } from '../../tests/support/programs/command-line.ts'
import { hasTerminals, terminal } from '../../tests/support/programs/terminal.ts'

/** Clears the screen (7-bit and 8-bit), returns to the start of the line, and changes the direction of writing. */
const hostile = 'a\u001B[2J\u009B2J\rb\u202Ec\u2066d\n\te'
const shown = 'a\uFFFD[2J\uFFFD2J\uFFFDb\uFFFDc\uFFFDd\n\te'

/** Starts a command line against a platform that sends these responses in turn. */
async function over(...replies: Parameters<typeof startFailingServer>) {
  const platform = await startFailingServer(...replies)
  const environment = { PLATFORM_URL: platform.url, PLATFORM_API_KEY: 'sk_test' }
  const agents = await commandLine(environment, programSource)
  return {
    run: agents.run,
    async [Symbol.asyncDispose]() {
      await agents[Symbol.asyncDispose]()
      await platform[Symbol.asyncDispose]()
    },
  }
}

const event = (name: string, data: object, id = '') =>
  `${id && `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

const answer = events(
  event('delta', { content: 'x\u001B' }) +
    event('delta', { content: ']0;title\u0007y' }) +
    event('done', { reply: '' }),
)
const answered = 'x\uFFFD]0;title\uFFFDy\n'

it('a spreadsheet gets no formula from an agent', async () => {
  const data = [{ agent: '=HYPERLINK("x")', model: '-1', calls: -2, other: '@a' }]
  await using on = await over(json(200, { data }))
  const { stdout } = await on.run(['usage', '--csv'])
  expect(stdout).toBe(`agent,model,calls,other\r\n"'=HYPERLINK(""x"")",-1,-2,'@a\r\n`)
})

describe('a terminal gets no control characters from', () => {
  it.each([
    ['notes', ['memory', 'get', 'agt_1', 'city'], { memory: { city: hostile } }, shown],
    ['skills', ['skills', 'run', 'agt_1', 'poem', 'go'], { reply: hostile }, shown],
    [
      'texts that only a model reads',
      ['skills', 'run', 'agt_1', 'poem', 'go'],
      { reply: 'a\u{E0049}b\u{E0130}c' },
      'a\uFFFDb\uFFFDc',
    ],
    ['an agent', ['get', 'agt_1'], { agent: { name: hostile } }, `name            ${shown}`],
    ['a list', ['ls'], { agents: [{ id: '1\u202E', name: 'a\u001B[2J\nb' }] }, '1\uFFFD  a [2J b'],
    ['other requests', ['api', 'GET', '/api/x'], hostile, shown],
    [
      'usage',
      ['usage', '--csv'],
      { data: [{ agent: 'a\u001B[2J', calls: 1 }] },
      'agent,calls\r\na\uFFFD[2J,1\r',
    ],
    [
      'a log, without its colours',
      ['logs', 'agt_1'],
      { lines: [{ at: '', text: `\u001B[31mred\u001B[0m ${hostile}` }] },
      'red a\uFFFDb\uFFFDc\uFFFDd\n\te',
    ],
  ])('a terminal gets no control characters from %s', async (_, args, body, printed) => {
    await using on = await over(json(200, body))
    expect(await on.run(args)).toEqual({ code: 0, stdout: `${printed}\n`, stderr: '' })
  })

  it('a terminal gets no control characters from an answer, at any chunk boundary', async () => {
    await using on = await over(answer)
    expect(await on.run(['chat', 'agt_1', 'Hi'])).toMatchObject({ code: 0, stdout: answered })
  })

  it('a terminal gets no control characters from a log that is followed', async () => {
    const line = event('line', { type: 'line', text: `\u001B[31mred\u001B[0m \u0007` }, '1')
    await using on = await over(events(line), json(404, { error: 'gone' }))
    expect((await on.run(['logs', '-f', 'agt_1'])).stdout).toBe('red \uFFFD\n')
  })

  it('a terminal gets no control characters from an error', async () => {
    await using on = await over(json(400, { error: hostile }))
    const { code, stderr } = await on.run(['get', 'agt_1'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(shown) })
  })

  it('a terminal gets no control characters from the name of the agent that init continues with', async () => {
    const agent = { id: 'agt_1', name: hostile, status: 'running' }
    const settings = json(200, { plan: 'solo' })
    await using on = await over(
      settings,
      json(200, { agents: [agent] }),
      json(200, { agent }),
      answer,
    )
    const { code, stdout, stderr } = await on.run(['init'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: answered })
    expect(stderr).toContain(`${shown} is starting\n`)
  })
})

it('with --json, programs get the exact text, and a terminal gets no control characters', async () => {
  await using on = await over(json(200, { agent: { name: `${hostile}\u{E0049}\u007F"\\` } }))
  const { stdout } = await on.run(['get', 'agt_1', '--json'])
  expect(JSON.parse(stdout)).toEqual({ agent: { name: `${hostile}\u{E0049}\u007F"\\` } })
  expect(stdout).toMatch(/^[\x20-\x7E]+\n$/)
})

it('programs get an answer that is not JSON unchanged', async () => {
  await using on = await over(json(200, hostile))
  expect((await on.run(['api', 'GET', '/api/x', '--json'])).stdout).toBe(`${hostile}\n`)
})

it.runIf(hasTerminals)(
  'a terminal gets such an answer without its control characters',
  async () => {
    await using platform = await startFailingServer(json(200, `first ${hostile}`))
    await using at = await terminal(
      [process.execPath, programSource, 'api', 'GET', '/api/x', '--json'],
      { PLATFORM_URL: platform.url, PLATFORM_API_KEY: 'sk_test' },
    )
    await eventually(async () => expect(await at.screen()).toContain('ended with 0'))
    expect(await at.screen()).toContain('first a\uFFFD[2J\uFFFD2J\uFFFDb')
  },
)
