/**
 * `npm run deploy -- --stage <stage>`: checks the account, builds, and deploys with the settings of `stages/<stage>.env`.
 * Exit code: 1 if something is missing or a step failed, 2 for invalid arguments, settings or credentials.
 */
import { retiredAssets } from '#shared/manifest/console.ts'
import { isThrowaway } from '#stacks/stage.ts'
import { compareSettings, isMissing, openAccount, preflight, tableOf } from '../preflight/check.ts'
import { recordSettings } from '../stage/last.ts'
import { deployStage, exitWith } from '../stage/run.ts'
import { environmentOf, stageOptions } from '../stage/settings.ts'
import { retireAssets } from './retire-assets.ts'

const { values, ...stage } = stageOptions(
  `npm run deploy -- --stage <stage>
  --drop <name>   removes this setting of the last deployment and what it configures; repeatable
  --skip-preflight   compares the settings with the last deployment's only
Settings come from stages/<stage>.env. See docs/operate/deploy.md.`,
  {
    drop: { type: 'string', multiple: true },
    'skip-preflight': { type: 'boolean', default: false },
  },
)
const account = await openAccount()
const dropped = values.drop ?? []
await exitWith(deploy)

async function deploy(): Promise<number> {
  const findings = values['skip-preflight']
    ? await compareSettings({ ...stage, aws: account.aws }, dropped)
    : await preflight(account, stage, dropped)
  process.stdout.write(tableOf(findings))
  if (findings.some(isMissing)) return 1
  if ((await deployStage(stage.stage, environmentOf(stage))) !== 0) return 1
  await recordSettings(account.aws, stage.stage, Object.keys(stage.settings))
  const retired = await retireAssets()
  if (retired > 0)
    process.stdout.write(
      `console files of earlier deployments that S3 deletes in ${retiredAssets.days} days: ${retired}\n`,
    )
  process.stdout.write(
    isThrowaway(stage.stage)
      ? `${stage.stage} serves this version now, because it is a throwaway stage\n`
      : `If functions changed, move calls to them: npm run release -- --stage ${stage.stage}\n`,
  )
  return 0
}
