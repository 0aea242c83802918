/**
 * `npm run remove -- --stage <stage>`: stops what starts agents, stops all agents, removes the stage, and prints what
 * stays. Each step can be repeated: start the program again if it fails. Exit code: 1 if a step failed, 2 for invalid
 * arguments, settings or credentials.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { AwsCalls } from '../aws/calls.ts'
import { openAccount } from '../preflight/check.ts'
import { ownFilter } from '../preflight/quotas.ts'
import { forgetSettings } from '../stage/last.ts'
import { run } from '../stage/run.ts'
import { environmentOf, stageOptions } from '../stage/settings.ts'
import { closeStarters, stopTasks } from './tasks.ts'

/** Lambda deletes the network interfaces of deleted functions within some 20 minutes. */
const attempts = 3
const pollsOfInterfaces = 80
/** Tasks end within two minutes: stopTimeoutSeconds of the manifest. */
const pollsOfTasks = 20

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Prices: https://aws.amazon.com/ecr/pricing, https://aws.amazon.com/kms/pricing, https://aws.amazon.com/s3/pricing. */
const remains = `the stage is removed. These stay:
  images in ECR                      $0.10 per GB and month: aws ecr delete-repository --force
  revisions of agents' tasks         free
  certificates, the sender's domain  free
  SST's state bucket                 cents
  the key of wallets, if the stage was not kept: scheduled for deletion, free, gone after 30 days
If the stage was kept, its table, buckets, file system, network and the key of wallets ($1 per month) stay too, and cost
what their data costs: docs/operate/deploy.md, Removing a stage.`

const pollMs = Number(process.env['REMOVE_POLL_MS'] ?? 15_000)

const stage = stageOptions(
  `npm run remove -- --stage <stage>
Settings come from stages/<stage>.env. See docs/operate/deploy.md, Removing a stage.`,
  {},
)
const { aws, account } = await openAccount()
say(`removing the stage ${stage.stage} from account ${account}, ${aws.region}`)
process.exitCode = await remove()

async function remove(): Promise<number> {
  say(`${await closeStarters(stage.stage)} functions can no longer start agents`)
  if (!(await emptyCluster())) {
    say('some agents are still stopping: start this program again')
    return 1
  }
  say('no agent and no warm container is running')
  if (!(await removeResources())) return 1
  await forgetSettings(aws, stage.stage)
  say(remains)
  return 0
}

async function emptyCluster(): Promise<boolean> {
  for (let poll = 0; poll < pollsOfTasks; poll += 1) {
    const left = await stopTasks(stage.stage)
    if (left === 0) return true
    say(`waiting for ${left} tasks to stop`)
    await delay(pollMs)
  }
  return false
}

/** Runs `sst remove`, again if it failed while network interfaces still held the network. */
async function removeResources(): Promise<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const code = await run('sst', ['remove', '--stage', stage.stage], environmentOf(stage))
    if (code === 0) return true
    if (attempt === attempts || (await interfaces(aws)) === 0) break
    say('network interfaces of deleted functions still hold the network: waiting for Lambda')
    for (let poll = 0; poll < pollsOfInterfaces && (await interfaces(aws)) > 0; poll += 1)
      await delay(pollMs)
  }
  say('`sst remove` failed: read its message above. To keep the stage instead, run')
  say(`  npx sst refresh --stage ${stage.stage}, then npm run deploy -- --stage ${stage.stage}`)
  return false
}

/** Returns the number of network interfaces in the stage's network that Lambda still has to delete. */
async function interfaces(calls: AwsCalls): Promise<number> {
  const vpcs = (
    await calls.query('ec2', { Action: 'DescribeVpcs', ...ownFilter(stage.stage) })
  ).textsOf('vpcId')
  if (vpcs.length === 0) return 0
  const found = await calls.query('ec2', {
    Action: 'DescribeNetworkInterfaces',
    'Filter.1.Name': 'interface-type',
    'Filter.1.Value.1': 'lambda',
    'Filter.2.Name': 'vpc-id',
    ...Object.fromEntries(vpcs.map((id, index) => [`Filter.2.Value.${index + 1}`, id])),
  })
  return new Set(found.textsOf('networkInterfaceId')).size
}
