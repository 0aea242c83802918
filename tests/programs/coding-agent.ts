import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Turn } from '../support/ai/turn.ts'
import { documented } from './documented.ts'
import { startProgram } from './start-program.ts'

/** An API that a program calls models by. */
export type Api = 'chat' | 'messages' | 'responses'

/** Another form of a text: each pair is a part and its replacement. */
type Changes = readonly (readonly [from: string, to: string])[]

/** A program that edits files by calls of a model. */
export interface CodingAgent {
  name: string
  /** The installed file that runs: a script of Node.js if it ends in `.js`. */
  file: string
  config: {
    /** The info string of its block in docs/use/models.md. */
    info: string
    /** The path below the home. */
    path: string
    /** The changes of the block for each API that the program can call. */
    apis: Partial<Record<Api, Changes>>
  }
  env?: Record<string, string>
  /** @param resumes continues the last conversation of the folder */
  args(prompt: string, resumes: boolean): readonly string[]
  /** Returns the text of the last answer in what it printed. */
  textOf(out: string): string | undefined
  /** The calls that read a file, change its word Hello to Good day, and print it by a command. */
  editing(file: string): NonNullable<Turn['calls']>
}

interface Run {
  /** The folder that it works in. */
  cwd: string
  /** Its home, which contains its configuration and its conversations. */
  home: string
  api: Api
  /** The address of the gateway, without `/v1`. */
  url: string
  key: string
  prompt: string
  resumes?: boolean
}

export const isInstalled = ({ file }: CodingAgent) => existsSync(file)

/** Starts a program with its configuration of docs/use/models.md. */
export async function startAgent(agent: CodingAgent, run: Run) {
  const { file, config } = agent
  const path = join(run.home, config.path)
  await mkdir(dirname(path), { recursive: true })
  const changes = [...(config.apis[run.api] ?? []), ['http://localhost:3001', run.url] as const]
  const text = changes.reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    documented(config.info),
  )
  await writeFile(path, text)
  const command = file.endsWith('.js') ? [process.execPath, file] : [file]
  const [program = '', ...args] = [...command, ...agent.args(run.prompt, run.resumes ?? false)]
  const { outcome, ...started } = startProgram(program, args, {
    cwd: run.cwd,
    env: { HOME: run.home, PLATFORM_API_KEY: run.key, ...agent.env },
  })
  return {
    ...started,
    outcome,
    /** Returns the text of the last answer. @throws Error with what the program printed if it failed */
    async text() {
      const { code, out, errors } = await outcome()
      if (code !== 0) throw new Error(`${agent.name} ended with ${code}: ${out}${errors}`)
      return agent.textOf(out)
    },
  }
}
