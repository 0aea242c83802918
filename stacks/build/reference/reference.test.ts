import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { OpenApiDocument } from '#shared/http/openapi/document.ts'
import { app } from '../../../clients/cli/app.ts'
import { Platform } from '../../../clients/typescript/index.ts'
import { clientCalls } from './client-calls.ts'
import { commandLines } from './commands.ts'
import { curlOf } from './curl.ts'
import { type Example, examplesOf } from './operation.ts'

let examples: Example[]
let calls: Map<string, string>
let lines: Map<string, string>

beforeAll(async () => {
  const file = join(import.meta.dirname, '../../../docs/api/web.json')
  const kept = JSON.parse(await readFile(file, 'utf8')) as OpenApiDocument
  examples = examplesOf(kept)
  calls = await clientCalls(examples)
  lines = await commandLines(examples)
})

it('shows one operation in each way to call it', () => {
  const operation = 'POST /api/scheduled-tasks'
  const example = examples.find((one) => one.operation === operation)
  expect(example && curlOf('web', example)).toBe(
    `curl -X POST "$PLATFORM_URL/api/scheduled-tasks" \\
  -H "authorization: Bearer $PLATFORM_API_KEY" \\
  -H 'content-type: application/json' \\
  -d '{"name":"Melody","cronSchedule":"0 9 * * 1-5","prompt":"What is new?","agentId":"AGENT_ID"}'`,
  )
  expect(lines.get(operation)).toBe(
    'agents tasks create AGENT --name NAME --cron CRON --prompt PROMPT',
  )
  expect(calls.get(operation)).toBe(`const answer = await platform.tasks.create({
  name: 'Melody',
  cronSchedule: '0 9 * * 1-5',
  prompt: 'What is new?',
  agentId: 'AGENT_ID',
})`)
  expect(calls.get('GET /api/logs/{agentId}/stream')).toBe(
    "for await (const event of platform.agents.logs.follow('AGENT_ID')) console.log(event)",
  )
})

it('calls every operation by a method of the client', () => {
  const platform = new Platform({ baseUrl: 'http://localhost' })
  expect([...calls.keys()]).toEqual(examples.map(({ operation }) => operation))
  for (const [operation, call] of calls) {
    const [, path = ''] = /platform\.([\w.]+)\(/.exec(call) ?? []
    const method = path
      .split('.')
      .reduce<unknown>((at, name) => Reflect.get(Object(at) as object, name), platform)
    expect({ operation, path, is: typeof method }).toEqual({ operation, path, is: 'function' })
    expect(path).not.toBe('request')
  }
})

/** Returns whether the words of a line name a command. */
function isCommand(words: readonly string[]): boolean {
  let target: unknown = app.root
  for (const word of words) {
    const { getRoutingTargetForInput } = target as {
      getRoutingTargetForInput?: (input: string) => unknown
    }
    if (getRoutingTargetForInput === undefined) break
    target = getRoutingTargetForInput(word)
  }
  return target !== undefined && 'loader' in Object(target)
}

it('runs existing commands, each for one operation', () => {
  const own = [...lines.values()].filter((line) => !line.startsWith('agents api '))
  expect(new Set(own).size).toBe(own.length)
  expect(own.length).toBeGreaterThan(45)
  for (const line of lines.values()) {
    const [program, ...words] = line.split(' ')
    expect({ line, program, is: isCommand(words) }).toEqual({ line, program: 'agents', is: true })
  }
  expect(isCommand(['tasks', 'none'])).toBe(false)
})

it('shows no command for operations that the command line cannot call', () => {
  const closed = examples.filter(({ schemes }) => schemes.length > 0 && !schemes.includes('key'))
  expect(closed.length).toBeGreaterThan(0)
  expect(closed.filter(({ operation }) => lines.has(operation))).toEqual([])
})
