import { type Command, type RouteMap, run } from '@stricli/core'
import { app } from '../../../clients/cli/app.ts'
import { Cli } from '../../../clients/cli/cli.ts'
import type { Context } from '../../../clients/cli/command.ts'
import { quoted } from './curl.ts'
import { addressOf, type Example } from './operation.ts'
import {
  type RecordedRequest,
  type RecordingPlatform,
  recordingPlatform,
} from './recording-platform.ts'
import { placeholder } from './sample.ts'

/** Commands that concern the local machine, or no single operation. */
const skippedCommands = new Set([
  'login',
  'logout',
  'init',
  'mcp',
  'completion',
  'api',
  'files sync',
])

/** Commands that reach another operation with a flag. */
const byFlag = [
  ['logs', 'AGENT', '--follow'],
  ['usage', '--by', 'agent'],
  ['usage', '--by', 'model'],
  ['usage', '--by', 'key'],
  ['estimate', 'MODEL', '--prompt', 'PROMPT'],
]

/** An agent id, so that commands do not look up a name. */
const anAgent = 'agt_example'

const address = 'http://platform.invalid'

/**
 * Returns the command line for each operation. Runs every command against a simulated platform; the last request of a
 * command sends the command's operation. Operations without a command use `agents api`.
 */
export async function commandLines(examples: readonly Example[]): Promise<Map<string, string>> {
  const played = recordingPlatform(examples)
  const refusing = recordingPlatform(examples, { refuses: true })
  const byOperation = new Map(examples.map((example) => [example.operation, example]))
  const real = globalThis.fetch
  try {
    const lines = new Map<string, string>()
    const addLine = (line: Line | undefined) => {
      if (line !== undefined && !lines.has(line.operation)) lines.set(line.operation, line.text)
    }
    for (const words of commandsOf())
      addLine(
        await shortest(words, async (some) => {
          const request = await lastAsked(played, some)
          const example = request && byOperation.get(request.operation)
          return example && isWhole(request, example) ? request.operation : undefined
        }),
      )
    for (const words of byFlag) {
      const real = words.map((word) => (word === 'AGENT' ? anAgent : word))
      const request = await lastAsked(refusing, real)
      addLine(request && { operation: request.operation, text: `agents ${words.join(' ')}` })
    }
    for (const example of examples)
      if (!lines.has(example.operation) && isOpenToKeys(example))
        lines.set(example.operation, anyLine(example))
    return lines
  } finally {
    globalThis.fetch = real
  }
}

async function lastAsked(
  played: RecordingPlatform,
  words: readonly string[],
): Promise<RecordedRequest | undefined> {
  globalThis.fetch = played.fetch
  await ended(words)
  return played.taken().at(-1)
}

/** `agents api` authenticates with a key and waits for the whole response, so it cannot send other operations. */
function isOpenToKeys({ schemes, streams }: Example): boolean {
  return !streams && (schemes.length === 0 || schemes.includes('key'))
}

interface Words {
  path: string[]
  args: string[]
  /** The required arguments. */
  needed: string[]
  /** The flags that take a value. */
  flags: string[]
  asksFirst: boolean
}

/** Returns every command with its arguments. */
function commandsOf(): Words[] {
  return walk(app.root as RouteMap<Context>, [])
}

function walk(map: RouteMap<Context>, path: readonly string[]): Words[] {
  return map.getAllEntries().flatMap(({ name, target }): Words[] => {
    const here = [...path, name.original]
    if (skippedCommands.has(here.join(' '))) return []
    if ('getAllEntries' in target) return walk(target, here)
    return [wordsOf(target, here)]
  })
}

function wordsOf({ parameters }: Command<Context>, path: string[]): Words {
  const { flags = {}, positional } = parameters
  const arguments_ =
    positional?.kind === 'array' ? [positional.parameter] : (positional?.parameters ?? [])
  const namesOf = (some: typeof arguments_) =>
    some.flatMap(({ placeholder = '' }) => placeholder.split(' '))
  return {
    path,
    args: namesOf(arguments_),
    needed: namesOf(arguments_.filter(({ optional }) => optional !== true)),
    flags: Object.entries(flags).flatMap(([name, { kind }]) =>
      kind === 'parsed' && name !== 'url' ? [name] : [],
    ),
    asksFirst: 'yes' in flags,
  }
}

interface Line {
  operation: string
  text: string
}

/** Returns the shortest line of a command that still sends a complete request. */
async function shortest(
  words: Words,
  reach: (words: readonly string[]) => Promise<string | undefined>,
): Promise<Line | undefined> {
  const { path, args, needed, asksFirst } = words
  let [used, flags] = [needed, [] as string[]]
  const run = () =>
    reach([
      ...path,
      ...used.map(valueOf),
      ...flags.flatMap((name) => [`--${name}`, placeholder(name)]),
      ...(asksFirst ? ['--yes'] : []),
    ])
  let operation = await run()
  if (operation === undefined) {
    used = args
    operation = await run()
  }
  if (operation === undefined) {
    flags = words.flags
    operation = await run()
    for (const name of words.flags) {
      const all = flags
      flags = all.filter((one) => one !== name)
      if ((await run()) !== operation) flags = all
    }
  }
  if (operation === undefined) return undefined
  const options = flags.flatMap((name) => [`--${name}`, placeholder(name)])
  return { operation, text: ['agents', ...path, ...used.map(shown), ...options].join(' ') }
}

/** Returns the value of an argument by name, as the reader sees it. */
function valueOf(name: string): string {
  if (name === 'agent' || name === 'agent…') return anAgent
  if (name === 'usd') return '5'
  return shown(name)
}

function shown(name: string): string {
  if (name === 'usd') return '5'
  return name.replace('…', '').split('=').map(placeholder).join('=')
}

/** Runs a command to its end without this process's environment, input and output. */
async function ended(words: readonly string[]): Promise<void> {
  const silent = { write: () => true }
  const stdio = { stdout: silent, stderr: silent, env: {} }
  const process = {
    ...stdio,
    stdin: {},
    env: { PLATFORM_URL: address, PLATFORM_API_KEY: 'sk_example' },
  } as unknown as NodeJS.Process
  const cli = new CliWithoutFiles(process, new AbortController().signal)
  // Responses contain only what the schema requires, so a command may fail on one. Only its requests matter here.
  await run(app, [...words], { process: stdio as never, cli, fail: () => {} } as Context)
}

class CliWithoutFiles extends Cli {
  override async openFile() {
    return new Blob([])
  }

  override async saveFile() {
    return 0
  }
}

/** Returns whether a request has all that its operation requires. */
function isWhole(
  { body, address }: { body: unknown; address: string },
  { body: needed, query }: Example,
): boolean {
  const sent = new URLSearchParams(address.split('?')[1])
  const has = (name: string) =>
    body !== null && typeof body === 'object' && Object.hasOwn(body, name)
  const isPlain = needed !== null && typeof needed === 'object'
  return (
    Object.keys(query).every((name) => sent.has(name)) &&
    (!isPlain || Object.keys(needed).every(has))
  )
}

function anyLine(example: Example): string {
  const { method, body, type } = example
  const path = quoted(addressOf(example))
  const line = `agents api ${method} ${path}`
  if (type === undefined) return line
  if (type !== 'application/json' || body === null || typeof body !== 'object')
    return `${line} --input -`
  const fields = Object.entries(body).map(([name, value]) =>
    typeof value === 'string' ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`,
  )
  return [line, ...fields.map((field) => `-f ${quoted(field)}`)].join(' ')
}
