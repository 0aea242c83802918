import type * as z from 'zod'
import { functionSettings } from '#shared/manifest/settings/functions.ts'
import { injectedSettings } from '#shared/manifest/settings/injected.ts'
import { machineSettings } from '#shared/manifest/settings/stacks.ts'
import type { Setting, SettingKind } from '#shared/manifest/settings/types.ts'
import { kinds } from './kinds.ts'

type Kinds = Record<string, () => z.ZodType>

type ValueOf<S, K extends Kinds> = S extends { kind: infer Kind extends keyof K }
  ? z.output<ReturnType<K[Kind]>>
  : never

/**
 * Settings that always have a value: a default, or a value that both stacks set. A secret may be missing; its features
 * then respond with 503.
 */
type Present = { default: unknown } | { required: true; secret?: undefined }

/** The parsed values of declared settings. */
export type SettingValues<Declared, K extends Kinds> = {
  -readonly [Name in keyof Declared]:
    | ValueOf<Declared[Name], K>
    | (Declared[Name] extends Present ? never : undefined)
}

/** Every setting of a function. */
const declared = { ...functionSettings, ...machineSettings, ...injectedSettings }

export const settingNames: readonly string[] = Object.keys(declared)

export type Settings = SettingValues<typeof declared, typeof kinds>

export interface SettingProblem<Kind extends string = SettingKind> {
  name: string
  setting: Setting<Kind>
  /** The reason why the value is invalid, without the value. */
  message: string
}

/** Parses the functions' settings in an environment, and returns them with all problems. */
export function readSettings(environment: Record<string, string | undefined>): {
  settings: Settings
  problems: SettingProblem[]
} {
  return readDeclared(declared, kinds, environment)
}

/**
 * Parses the declared settings in an environment, each with the schema of its kind, and returns them with all
 * problems.
 */
export function readDeclared<
  K extends Kinds,
  Declared extends Readonly<Record<string, Setting<keyof K & string>>>,
>(
  declared: Declared,
  kinds: K,
  environment: Record<string, string | undefined>,
): { settings: SettingValues<Declared, K>; problems: SettingProblem<keyof K & string>[] } {
  const problems: SettingProblem<keyof K & string>[] = []
  const read: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(declared)) {
    const value = environment[name]
    read[name] = setting.default
    // An empty variable counts as absent.
    if (value === undefined || value === '') continue
    const parsed = kinds[setting.kind]?.().safeParse(value)
    if (parsed?.success === true) read[name] = parsed.data
    else problems.push({ name, setting, message: parsed?.error.issues[0]?.message ?? 'is wrong' })
  }
  return { settings: read as SettingValues<Declared, K>, problems }
}
