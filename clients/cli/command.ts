import { buildCommand, type Command, numberParser } from '@stricli/core'
import type { Cli, CommonFlags } from './cli.ts'

export interface Context {
  readonly process: { stdout: Output; stderr: Output; env: NodeJS.ProcessEnv }
  readonly cli: Cli
  /** Prints the error and sets the exit code of the process. */
  readonly fail: (error: unknown, flags: CommonFlags) => void
}

interface Output {
  write(text: string): void
}

export const flag = {
  text: (brief: string) => ({ kind: 'parsed', parse: String, brief, optional: true }) as const,
  number: (brief: string) =>
    ({ kind: 'parsed', parse: numberParser, brief, optional: true }) as const,
  yes: (brief: string) => ({ kind: 'boolean', brief, default: false, withNegated: false }) as const,
  texts: (brief: string) =>
    ({ kind: 'parsed', parse: String, brief, optional: true, variadic: true }) as const,
}

type Flag = ReturnType<(typeof flag)[keyof typeof flag]>
type Value<F> = F extends { kind: 'boolean' }
  ? boolean
  : F extends { variadic: true }
    ? readonly string[] | undefined
    : F extends { parse: typeof String }
      ? string | undefined
      : number | undefined

/**
 * Builds a command. Every command takes `--json` and `--url`.
 * @param args names of the arguments: a trailing `?` marks an optional one, a trailing `…` one that takes all the rest
 */
export function command<const F extends Readonly<Record<string, Flag>>>(
  spec: {
    brief: string
    args?: readonly string[]
    flags?: F
    aliases?: Readonly<Record<string, string>>
  },
  run: (
    cli: Cli,
    flags: { [K in keyof F]: Value<F[K]> } & CommonFlags,
    ...args: string[]
  ) => Promise<void> | void,
): Command<Context> {
  const { brief, args = [], flags, aliases } = spec
  const positional = args.at(-1)?.endsWith('…')
    ? {
        kind: 'array',
        minimum: args.length,
        parameter: { parse: String, brief: args.join(' '), placeholder: args.join(' ') },
      }
    : {
        kind: 'tuple',
        parameters: args.map((name) => ({
          parse: String,
          brief: name.replace('?', ''),
          placeholder: name.replace('?', ''),
          optional: name.endsWith('?'),
        })),
      }
  const parameters = {
    flags: {
      ...flags,
      json: flag.yes('Print the API response as JSON'),
      url: flag.text('The address of the platform'),
    },
    positional,
    ...(aliases !== undefined && { aliases }),
  }
  return buildCommand({
    docs: { brief },
    // The parser's types are specific to each command; this function builds commands of all kinds.
    parameters: parameters as never,
    async func(this: Context, flagValues: never, ...values: string[]) {
      try {
        await run(this.cli, flagValues, ...values)
      } catch (error) {
        this.fail(error, flagValues)
      }
    },
  })
}
