/**
 * `npm run look -- --stage <stage>`: compares a deployed stage with the manifest and asks its surfaces for their health, by
 * read-only calls. Exit code: 1 if something differs, 2 for invalid arguments, settings or credentials.
 */
import { attempted, isMissing, openAccount, tableOf } from '../preflight/check.ts'
import { exitWith } from '../stage/run.ts'
import { stageOptions } from '../stage/settings.ts'
import {
  clusterRows,
  type Deployed,
  functionRows,
  healthRows,
  queueRows,
  readDeployed,
  recursionRows,
  tableRows,
} from './compare.ts'

const stage = stageOptions(
  `npm run look -- --stage <stage>
Settings come from stages/<stage>.env. See docs/operate/deploy.md, A first look.`,
  {},
)
await openAccount()
await exitWith(look)

async function look(): Promise<number> {
  const deployed: Deployed = await readDeployed(stage)
  const rows = await Promise.all([
    functionRows(deployed),
    attempted('recursion configurations', recursionRows(deployed)),
    attempted('queues', queueRows(deployed)),
    attempted('table', tableRows(deployed)),
    attempted('cluster', clusterRows(deployed)),
    healthRows(deployed),
  ])
  process.stdout.write(tableOf(rows.flat()))
  return rows.flat().some(isMissing) ? 1 : 0
}
