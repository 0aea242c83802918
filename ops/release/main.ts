/**
 * `npm run release -- --stage <stage>`: moves calls to the newly deployed versions, wave by wave, watched by alarms.
 * `--back` rolls the last release back in one step; `--mend` moves in one step, without alarms. See
 * docs/operate/deploy.md. Exit code: 1 if a move failed, 2 for invalid arguments.
 */
import { functions } from '#shared/manifest/index.ts'
import { releaseWaves } from '#shared/manifest/releases.ts'
import { isThrowaway } from '#stacks/stage.ts'
import { whatAwsLacks } from '../aws-settings.ts'
import { nameAtAws, refuse, stageOptions } from '../stage/settings.ts'
import { release } from './move.ts'
import { lambdasOf, lastRelease, pendingRelease } from './plan.ts'
import { codeDeployReleases } from './releases.ts'

const say = (line: string) => void process.stdout.write(`${line}\n`)

const help = `npm run release -- --stage <stage>
  --back   rolls the whole last release back in one step
  --mend   moves in one step, without alarms
The region and the profile come from stages/<stage>.env. See docs/operate/deploy.md, A release.`

const {
  stage,
  values: { back, mend },
} = stageOptions(help, {
  back: { type: 'boolean', default: false },
  mend: { type: 'boolean', default: false },
})
if (isThrowaway(stage))
  refuse(
    `${stage} is a throwaway stage: it has no releases, because each deployment serves at once. To go back, check out the earlier commit and run npm run deploy -- --stage ${stage}`,
  )
const pollMs = Number(process.env['RELEASE_POLL_MS'] ?? 5000)
const at = new Date().toISOString()
const releases = codeDeployReleases({ prefix: nameAtAws(stage, ''), at, pollMs })
const declared = releaseWaves(functions).map((wave) => wave.map(({ name }) => name))
const names = await lambdasOf(releases, declared).catch((error: unknown) => {
  const lacking = whatAwsLacks(error)
  if (lacking === undefined) throw error
  return refuse(lacking)
})
if (names.flat().length === 0)
  refuse(`no function of a stage ${stage} is in this account and region`)
const waves = back ? await lastRelease(releases, names) : await pendingRelease(releases, names)

const count = waves.flat().length
if (count === 0)
  say(
    back
      ? 'nothing to roll back: the last release was rolled back already, or there was none'
      : 'nothing to move: every function serves its newest version',
  )
else {
  const { moved, failed } = await release(releases, waves, { say, isImmediate: back || mend })
  if (failed.length === 0) say(`${moved.length} of ${functions.length} functions were moved`)
  else {
    if (moved.length > 0)
      say(`could not be moved back: ${moved.map(({ name, to }) => `${name} at ${to}`).join(', ')}`)
    process.exitCode = 1
  }
}
