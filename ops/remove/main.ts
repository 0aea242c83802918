/**
 * `npm run remove -- --stage <stage>`: closes the functions that start agents, stops all agents, removes the stage, and
 * prints what stays. Each step can be repeated: start the program again if it fails. Exit code: 1 if a step failed, 2 for invalid
 * arguments, settings or credentials.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { functions } from '#shared/manifest/index.ts'
import { isThrowaway } from '#stacks/stage.ts'
import { openAccount } from '../preflight/check.ts'
import { forgetSettings } from '../stage/last.ts'
import { deployStage, exitWith, run } from '../stage/run.ts'
import { environmentOf, nameAtAws, ownFilter, refuse, stageOptions } from '../stage/settings.ts'
import { areStartersClosed, closeStarters, stopTasks } from './tasks.ts'

/** Tasks end within two minutes, stopTimeoutSeconds of the manifest. */
const pollsOfTasks = 20
/** Lambda deletes the network interfaces of deleted functions within some 20 minutes. */
const pollsOfInterfaces = 80
const attempts = 3
const pollMs = Number(process.env['REMOVE_POLL_MS'] ?? 15_000)

/** Resources that remain after every stage is removed. Price: https://aws.amazon.com/ecr/pricing. */
const remains = `These stay:
  images in ECR             $0.10 per GB and month; aws ecr delete-repository --force --repository-name <name>
  SST's state bucket        cents; all stages of the account share it
  task definitions, certificates, identities of SES that existed before    free`

/** Prices of us-east-1, from the price lists of KMS, DynamoDB, S3 and EFS. */
const remainsOfKept = `  the key of wallets        $1 per month; without it the wallets in the table are lost
  the table                 $0.25 per GB and month, and $0.20 for its point-in-time recovery
  the buckets               $0.023 per GB and month
  the explorer's files      $0.30 per GB and month
  the network               free
Delete them in the AWS console if you do not need their data. The table has deletion protection; KMS waits 30 days.`

const remainsOfThrowaway = '  the key of wallets        free; KMS deletes it after 30 days'

const say = (line: string) => void process.stdout.write(`${line}\n`)

const { values, ...stage } = stageOptions(
  `npm run remove -- --stage <stage>
  --yes <stage>   also removes a stage that is kept; its data stays
Settings come from stages/<stage>.env. See docs/operate/deploy.md, Removing a stage.`,
  { yes: { type: 'string' } },
)
const name = stage.stage
const isKept = !isThrowaway(name)
if (isKept && values.yes !== name)
  refuse(
    `${name} is a stage that is kept. To remove its functions and addresses, but not its data: npm run remove -- --stage ${name} --yes ${name}`,
  )
const { aws, account } = await openAccount()
// sst.config.ts reads UNPROTECTED_STAGE. SST and Pulumi refuse to remove what the last deployment declared as protected.
const environment = { ...environmentOf(stage), ...(isKept && { UNPROTECTED_STAGE: name }) }

say(`removing the stage ${name} from account ${account}, ${aws.region}`)
await exitWith(remove)

async function remove(): Promise<number> {
  const users = isKept ? await stagesInNetwork() : []
  if (users.length > 0) {
    say(`these security groups of other stages are in the network of ${name}: ${users.join(', ')}`)
    say('remove their stages first, because they need its endpoints')
    return 1
  }
  // A repeated removal must not deploy again what the first one has removed.
  if (isKept && !(await areStartersClosed(name)) && !(await unprotect())) return 1
  say(`${await closeStarters(name)} functions can no longer start agents`)
  if (!(await emptyCluster())) {
    say('some agents are still stopping: start this program again')
    return 1
  }
  say('no agent and no warm container is running')
  if (!(await removeResources())) return 1
  await forgetSettings(aws, name)
  say(`the stage is removed. ${remains}\n${isKept ? remainsOfKept : remainsOfThrowaway}`)
  return 0
}

async function unprotect(): Promise<boolean> {
  say('deploying once without protection')
  return (await deployStage(name, environment)) === 0
}

async function emptyCluster(): Promise<boolean> {
  for (let poll = 0; poll < pollsOfTasks; poll += 1) {
    const left = await stopTasks(name)
    if (left === 0) return true
    say(`waiting for ${left} tasks to stop`)
    await delay(pollMs)
  }
  return false
}

/** Runs `sst remove`, again if it failed while network interfaces still held the network. */
async function removeResources(): Promise<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    if ((await run('sst', ['remove', '--stage', name], environment)) === 0) return true
    if (attempt === attempts || (await interfaces()) === 0) break
    say('network interfaces of deleted functions still hold the network: waiting for Lambda')
    for (let poll = 0; poll < pollsOfInterfaces && (await interfaces()) > 0; poll += 1)
      await delay(pollMs)
  }
  say('`sst remove` failed: read its message above. To keep the stage instead, run')
  say(`  npx sst refresh --stage ${name}, then npm run deploy -- --stage ${name}`)
  return false
}

/** Returns the names of other stages' security groups in the network of this stage: NETWORK_VPC_ID of throwaway stages. */
async function stagesInNetwork(): Promise<string[]> {
  const networks = await aws.query('ec2', { Action: 'DescribeVpcs', ...ownFilter(name) })
  const [network] = networks.textsOf('vpcId')
  if (network === undefined) return []
  const groups = await aws.query('ec2', {
    Action: 'DescribeSecurityGroups',
    'Filter.1.Name': 'vpc-id',
    'Filter.1.Value.1': network,
    'Filter.2.Name': 'tag:sst:app',
    'Filter.2.Value.1': 'agent-platform',
  })
  const [app, own] = ['agent-platform-', nameAtAws(name, '')]
  // The network's default group has the tag too.
  return groups
    .textsOf('groupName')
    .filter((group) => group.startsWith(app) && !group.startsWith(own))
}

/** Returns the number of network interfaces of the stage's functions that Lambda still has to delete. */
async function interfaces(): Promise<number> {
  const found = await aws.query('ec2', {
    Action: 'DescribeNetworkInterfaces',
    'Filter.1.Name': 'description',
    ...Object.fromEntries(
      functions
        .filter(({ vpc }) => vpc === true)
        .map((each, index) => [
          `Filter.1.Value.${index + 1}`,
          `AWS Lambda VPC ENI-${nameAtAws(name, each.name)}-*`,
        ]),
    ),
  })
  return found.textsOf('networkInterfaceId').length
}
