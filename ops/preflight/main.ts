/**
 * `npm run preflight -- --stage <stage>`: reads from the account whether the stage of `stages/<stage>.env` can be deployed,
 * and changes nothing. Exit code: 1 if something is missing, 2 for invalid arguments, settings or credentials.
 */
import { stageOptions } from '../stage/settings.ts'
import { isMissing, openAccount, preflight, tableOf } from './check.ts'

const { values, ...stage } = stageOptions(
  `npm run preflight -- --stage <stage>
  --drop <name>   accepts that this setting of the last deployment is gone; repeatable
Settings come from stages/<stage>.env. See docs/operate/deploy.md.`,
  { drop: { type: 'string', multiple: true } },
)
const findings = await preflight(await openAccount(), stage, values.drop ?? [])
process.stdout.write(tableOf(findings))
if (findings.some(isMissing)) process.exitCode = 1
