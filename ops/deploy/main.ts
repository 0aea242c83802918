/**
 * `npm run deploy -- --stage <stage>`: checks the account, builds, and deploys with the settings of `stages/<stage>.env`.
 * Exit code: 1 if something is missing or a step failed, 2 for invalid arguments, settings or credentials.
 */
import { isMissing, openAccount, preflight, tableOf } from '../preflight/check.ts'
import { recordSettings } from '../stage/last.ts'
import { run } from '../stage/run.ts'
import { environmentOf, stageOptions } from '../stage/settings.ts'

const { values, ...stage } = stageOptions(
  `npm run deploy -- --stage <stage>
  --drop <name>   removes this setting of the last deployment and what it configures; repeatable
Settings come from stages/<stage>.env. See docs/operate/deploy.md.`,
  { drop: { type: 'string', multiple: true } },
)
const account = await openAccount()
const findings = await preflight(account, stage, values.drop ?? [])
process.stdout.write(tableOf(findings))
process.exitCode = findings.some(isMissing) ? 1 : await deploy()

async function deploy(): Promise<number> {
  const environment = environmentOf(stage)
  const code =
    (await run('npm', ['run', 'build'], environment)) ||
    (await run('sst', ['deploy', '--stage', stage.stage], environment))
  if (code !== 0) return 1
  await recordSettings(account.aws, stage.stage, Object.keys(stage.settings))
  process.stdout.write(
    `If functions changed, move calls to them: npm run release -- --stage ${stage.stage}\n`,
  )
  return 0
}
