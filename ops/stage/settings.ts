import { existsSync, readFileSync } from 'node:fs'
import { parseArgs, type ParseArgsOptionsConfig, parseEnv } from 'node:util'
import { functionSettings } from '#shared/manifest/settings/functions.ts'
import { deploySettings } from '#shared/manifest/settings/stacks.ts'
import { readSettings } from '#shared/platform/config/settings.ts'
import { checkStage } from '#stacks/stage.ts'

/** The variables of the AWS SDK that a stage's file may set. */
const accountSettings = ['AWS_REGION', 'AWS_PROFILE']

/** Settings without which a deployment fails; required secrets are not in the file. */
const requiredSettings = Object.entries(functionSettings)
  .filter(([, setting]) => 'required' in setting && !('secret' in setting))
  .map(([name]) => name)

/** Returns the name at AWS of a stage's function or cluster. */
export function nameAtAws(stage: string, name: string): string {
  return `agent-platform-${stage}-${name}`
}

/** Returns EC2's filter for the resources of a stage, by the tags that SST sets. */
export function ownFilter(stage: string): Record<string, string> {
  return {
    'Filter.1.Name': 'tag:sst:app',
    'Filter.1.Value.1': 'agent-platform',
    'Filter.2.Name': 'tag:sst:stage',
    'Filter.2.Value.1': stage,
  }
}

/** A stage and its settings, by name. */
export interface Stage {
  stage: string
  settings: Record<string, string>
}

/**
 * Reads `stages/<stage>.env` of the current folder and sets AWS_REGION and AWS_PROFILE for the AWS SDK.
 * @throws Error that says what to change: no file, a file that SST reads too, no region or another one in the shell, an
 *   unknown name, a secret, an invalid value
 */
export function openStage(stage: string): Stage {
  const file = `stages/${stage}.env`
  if (!existsSync(file))
    throw new Error(`${file} does not exist: copy stages/example.env to it and edit it`)
  // SST loads these by itself: https://sst.dev/docs/environment-variables
  for (const other of ['.env', `.env.${stage}`])
    if (existsSync(other))
      throw new Error(`SST would read ${other} too: move its settings to ${file} and delete it`)
  const parsed = parseEnv(readFileSync(file, 'utf8'))
  const settings = Object.fromEntries(
    Object.entries(parsed).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value]],
    ),
  )
  const problems = [...Object.keys(parsed).flatMap(problemOf), ...readSettings(settings).problems]
  for (const name of ['AWS_REGION', ...requiredSettings])
    if (settings[name] === undefined) problems.push({ name, message: 'is required' })
  if (problems.length > 0)
    throw new Error(problems.map(({ name, message }) => `${file}: ${name}: ${message}`).join('\n'))
  const shell = process.env['AWS_REGION']
  if (shell !== undefined && shell !== settings['AWS_REGION'])
    throw new Error(
      `AWS_REGION is ${shell} in the shell and ${settings['AWS_REGION']} in ${file}: unset it in the shell`,
    )
  for (const name of accountSettings)
    if (settings[name] !== undefined) process.env[name] = settings[name]
  return { stage, settings }
}

function problemOf(name: string): { name: string; message: string }[] {
  if (accountSettings.includes(name) || name in deploySettings) return []
  if (!(name in functionSettings))
    return [{ name, message: 'is not a setting of a deployment: docs/reference/configuration.md' }]
  const spec = functionSettings[name as keyof typeof functionSettings]
  return 'secret' in spec
    ? [{ name, message: `is a secret: use \`npx sst secret set ${name}\` instead` }]
    : []
}

/**
 * Returns the environment of a deployment. The file of the stage is its only source of settings: settings of the shell
 * are ignored, so that the same file always gives the same deployment. UNPROTECTED_STAGE is ignored too, because only a
 * removal sets it.
 */
export function environmentOf({ settings }: Stage): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) =>
      !(name in functionSettings || name in deploySettings || name === 'UNPROTECTED_STAGE'),
  )
  return { ...Object.fromEntries(others), ...settings }
}

/**
 * Reads the options of a program that works on one stage.
 * @param usage the text of `--help`
 * @returns the stage's settings and the options; the process ends with 0 after `--help`, with 2 for invalid options or
 *   settings
 */
export function stageOptions<Options extends ParseArgsOptionsConfig>(
  usage: string,
  options: Options,
) {
  try {
    const { values } = parseArgs({
      options: { ...options, stage: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    })
    const { stage, help } = values as { stage?: string; help?: boolean }
    if (help === true) {
      process.stdout.write(`${usage}\n`)
      process.exit(0)
    }
    if (stage === undefined) throw new Error('--stage is required, such as --stage production')
    checkStage(stage)
    return { ...openStage(stage), values }
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

/** Ends the process with 2, which means that it did nothing. */
export function refuse(why: string): never {
  process.stderr.write(`${why}\n`)
  process.exit(2)
}
