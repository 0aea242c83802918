import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GatewayProcess, Home } from '../testing/gateway.ts'
import { Upstream } from '../testing/upstream.ts'

let home: Home
let upstream: Upstream
let gateway: GatewayProcess

beforeAll(async () => {
  home = await Home.make()
  upstream = await Upstream.start()
  await install(
    'weather',
    '---\nname: Weather\ndescription: "Says \\"rain\\""\n---\nLook outside.\n',
  )
  await install(
    'maps',
    '---\r\ndescription: >-\r\n  Finds\r\n  the way\r\nname: Maps\r\n---\r\nGo.',
  )
  await install('plain', 'Just text.')
  await mkdir(join(home.workspace, 'skills', 'empty'))
  await writeFile(join(home.workspace, 'skills', 'readme.txt'), 'not a skill')
  gateway = await GatewayProcess.start(
    home.environment(upstream.baseUrl, { SYSTEM_PROMPT: 'Be brief.' }),
  )
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

async function install(id: string, document: string): Promise<void> {
  const folder = join(home.workspace, 'skills', id)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'SKILL.md'), document)
}

function turn(id: string, to: 'enable' | 'disable'): Promise<Response> {
  return gateway.fetch(`/skills/${id}/${to}`, { method: 'POST' })
}

async function prompt(): Promise<string | undefined> {
  await gateway.say('ann', 'hi')
  return upstream.lastCall.body.messages[0]?.content
}

test('lists the installed skills', async () => {
  expect(await gateway.json('/skills')).toEqual({
    skills: [
      { id: 'maps', name: 'Maps', description: 'Finds the way', enabled: true },
      { id: 'plain', name: 'plain', description: '', enabled: true },
      { id: 'weather', name: 'Weather', description: 'Says "rain"', enabled: true },
    ],
    count: 3,
  })
})

test('adds enabled skills to the prompt, and keeps the setting after a restart', async () => {
  await turn('plain', 'disable')
  expect(await (await turn('maps', 'disable')).json()).toEqual({ id: 'maps', enabled: false })
  expect(await prompt()).toBe(
    'Be brief.\n\n## Skills\n- Weather: Says "rain"\n\n' +
      '## How the skills work\n### Weather\nLook outside.',
  )

  await gateway.kill('SIGKILL')
  gateway = await GatewayProcess.start(home.environment(upstream.baseUrl))
  await turn('maps', 'disable')
  expect(await prompt()).not.toContain('Maps')
  await turn('maps', 'enable')
  expect(await prompt()).toContain('- Maps: Finds the way\n- Weather')
})

test.each(['nothing', 'empty', 'readme.txt', '..', '%2e%2e%2fmemory', '.x'])(
  'rejects a switch of %s',
  async (id) => {
    expect((await turn(id, 'disable')).status).toBeOneOf([400, 404])
  },
)
