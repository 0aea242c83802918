import { whatAwsLacks } from '../aws-settings.ts'
import { type AwsCalls, openAws } from '../aws/calls.ts'
import { lastSettings } from '../stage/last.ts'
import { refuse, type Stage } from '../stage/settings.ts'
import { cloudFront, mail } from './account.ts'
import { certificates } from './certificates.ts'
import { edges } from './edges.ts'
import { type Finding, finding, type Subject } from './finding.ts'
import { images } from './images.ts'
import { fargate, lambdaConcurrency, network, roles } from './quotas.ts'

const checks: [string, (subject: Subject) => Promise<Finding[]>][] = [
  ['CloudFront', cloudFront],
  ['CloudFront: quotas', edges],
  ['Lambda: concurrent executions', lambdaConcurrency],
  ['Fargate: vCPU', fargate],
  ['VPCs and addresses', network],
  ['IAM roles', roles],
  ['SES', mail],
  ['Images', images],
  ['Certificates', certificates],
]

/**
 * Opens AWS and reads whose account it is. The process ends with 2 if the credentials or the region are missing or AWS
 * rejects them.
 */
export async function openAccount(): Promise<{ aws: AwsCalls; account: string }> {
  try {
    const aws = await openAws()
    const caller = await aws.query('sts', { Action: 'GetCallerIdentity' })
    return { aws, account: caller.textsOf('Account')[0] ?? 'unknown' }
  } catch (error) {
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    return refuse(whatAwsLacks(error) ?? `AWS rejects the credentials: ${why}`)
  }
}

/**
 * Compares an account with the needs of a deployment, by read-only calls. A check that AWS refuses is a row `missing`.
 * @param dropped settings that the last deployment had and this one is allowed to omit
 */
export async function preflight(
  { aws, account }: { aws: AwsCalls; account: string },
  stage: Stage,
  dropped: readonly string[],
): Promise<Finding[]> {
  const subject: Subject = { ...stage, aws }
  const rows = await Promise.all(checks.map(([what, check]) => attempted(what, check(subject))))
  return [
    finding(true, {
      what: 'Account and region',
      found: `${account}, ${aws.region}`,
      wanted: 'credentials and a region',
      todo: '',
    }),
    ...(await compareSettings(subject, dropped)),
    ...rows.flat(),
  ]
}

/** Compares the settings with the ones of the last deployment. `dropped` and the result are as in `preflight`. */
export function compareSettings(
  { aws, stage, settings }: Subject,
  dropped: readonly string[],
): Promise<Finding[]> {
  const read = async () => [settingsRow(stage, settings, await lastSettings(aws, stage), dropped)]
  return attempted('Settings of the last deployment', read())
}

/** Returns the rows of a check; one row `missing` with the error if AWS refused it. */
export async function attempted(what: string, rows: Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await rows
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    return [
      finding(false, {
        what,
        found: `could not be read: ${name}`,
        wanted: 'a response of AWS',
        todo: message,
      }),
    ]
  }
}

function settingsRow(
  stage: string,
  settings: Stage['settings'],
  last: readonly string[] | undefined,
  dropped: readonly string[],
): Finding {
  const vanished = (last ?? []).filter((name) => !(name in settings) && !dropped.includes(name))
  const drops = vanished.map((name) => `--drop ${name}`).join(' ')
  return finding(vanished.length === 0, {
    what: 'Settings of the last deployment',
    found:
      last === undefined
        ? 'no deployment yet'
        : vanished.length === 0
          ? 'all still set'
          : `no longer set: ${vanished.join(', ')}`,
    wanted: `all in stages/${stage}.env`,
    todo: `add them to stages/${stage}.env; or, to remove what they configure: ${drops}`,
  })
}

/** Returns the findings as a table for a terminal, with the next steps below it. */
export function tableOf(findings: readonly Finding[]): string {
  const rows = [
    ['', 'what', 'found', 'wanted'],
    ...findings.map(({ state, what, found, wanted }) => [state, what, found, wanted]),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const steps = findings
    .filter(({ state }) => state !== 'ok')
    .map(({ state, what, todo }) => `${state}  ${what}\n  ${todo}`)
  return [...lines, ...(steps.length === 0 ? [] : ['', 'What to do', ...steps]), ''].join('\n')
}

/** Returns true if a finding prevents the deployment. */
export function isMissing({ state }: Finding): boolean {
  return state === 'missing'
}
