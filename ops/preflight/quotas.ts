import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda'
import * as z from 'zod'
import { addressRanges, functions, planSizes, usualQuota } from '#shared/manifest/index.ts'
import { readSettings } from '#shared/platform/config/settings.ts'
import { isThrowaway, regionCode, reservesConcurrency } from '#stacks/stage.ts'
import { type AwsCalls, AwsError } from '../aws/calls.ts'
import { nameAtAws, ownFilter } from '../stage/settings.ts'
import { type Finding, finding, type Subject } from './finding.ts'

/** PutFunctionConcurrency refuses a reservation that leaves fewer executions than this for all other functions. */
const unreservedMinimum = 100

/** IAM roles of a stage besides one for each function: for tasks, schedules, deployments, logs. */
const otherRoles = 25

const request = (service: string, code: string, amount: number) =>
  `aws service-quotas request-service-quota-increase --service-code ${service} --quota-code ${code} --desired-value ${amount}`

/** Compares Lambda's concurrency quota with the reservations of this stage and of everything else in the region. */
export async function lambdaConcurrency({ stage, settings }: Subject): Promise<Finding[]> {
  const lambda = new LambdaClient({})
  const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}))
  const limit = AccountLimit?.ConcurrentExecutions ?? 0
  const reserving = functions.flatMap(({ name, reserved }) =>
    reserved === undefined ? [] : [{ name, reserved }],
  )
  const own = await Promise.all(
    reserving.map(({ name }) => reservedNow(lambda, nameAtAws(stage, name))),
  )
  const elsewhere = limit - (AccountLimit?.UnreservedConcurrentExecutions ?? limit) - sum(own)
  if (!reservesConcurrency(stage, settings['RESERVE']))
    return [
      finding(true, {
        what: 'Lambda: concurrent executions',
        found: `${limit}, of which ${elsewhere} are reserved elsewhere`,
        wanted: 'no quota: the stage reserves no concurrency',
        todo: '',
      }),
    ]
  const needed = sum(reserving.map(({ reserved }) => reserved))
  const wanted = Math.max(usualQuota, elsewhere + needed + unreservedMinimum)
  const what = 'Lambda: concurrent executions'
  const found = `${limit}, of which ${elsewhere} are reserved elsewhere`
  const todo = `${request('lambda', 'L-B99A9384', wanted)}; or set RESERVE=false`
  if (limit < usualQuota)
    return [
      finding(false, {
        what,
        found,
        wanted: `${wanted}; with less, nothing is reserved and a burst of streams stops everything else`,
        otherwise: 'look',
        todo,
      }),
    ]
  return [finding(limit >= wanted, { what, found, wanted: String(wanted), todo })]
}

async function reservedNow(lambda: LambdaClient, name: string): Promise<number> {
  try {
    const found = await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName: name }))
    return found.ReservedConcurrentExecutions ?? 0
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return 0
    throw error
  }
}

/** The router's two containers of a quarter vCPU: stacks/router-task.ts. */
const routerVcpu = 0.5

/** Compares Fargate's vCPU quotas with one agent of the largest plan, the warm containers, the router and the services. */
export async function fargate({ aws, settings }: Subject): Promise<Finding[]> {
  const services = new Set(settings['SERVICES']?.split(',').map((name) => name.trim()))
  const byTheHour =
    (settings['AGENTS_CERTIFICATE_ARN'] === undefined ? 0 : routerVcpu) +
    sum(
      functions.flatMap(({ name, service }) =>
        service !== undefined && services.has(name) ? service.least * (service.cpu / 1024) : [],
      ),
    )
  const warm = readSettings(settings).settings.WARM_CONTAINERS ?? {}
  const wantedOf = (spot: boolean) => {
    const plans = planSizes.filter((plan) => plan.spot === spot)
    const waiting = plans.map(({ plan, cpu }) => (warm[plan] ?? 0) * (cpu / 1024))
    return Math.max(...plans.map(({ cpu }) => cpu / 1024)) + sum(waiting)
  }
  const rows = [
    { what: 'Fargate: vCPU on demand', code: 'L-3032A538', wanted: wantedOf(false) + byTheHour },
    { what: 'Fargate: vCPU on Spot', code: 'L-36FBB829', wanted: wantedOf(true) },
  ]
  return Promise.all(
    rows.map(async ({ what, code, wanted }) => {
      const quota = await quotaOf(aws, 'fargate', code)
      return finding(quota >= wanted, {
        what,
        found: String(quota),
        wanted: `${wanted}, and the sum of all agents awake at the busiest time`,
        todo: request('fargate', code, Math.ceil(wanted)),
      })
    }),
  )
}

/** Compares the free VPCs, and the Elastic IP addresses if AGENTS_NAT needs them. */
export async function network({ aws, stage, settings }: Subject): Promise<Finding[]> {
  if (isThrowaway(stage)) {
    const id = settings['NETWORK_VPC_ID']
    return [
      finding(id !== undefined, {
        what: 'Network',
        found: id ?? 'NETWORK_VPC_ID is not set',
        wanted: 'the output `network` of a kept stage in this region',
        todo: `set NETWORK_VPC_ID in stages/${stage}.env`,
      }),
    ]
  }
  const found = await aws.query('ec2', {
    Action: 'DescribeAvailabilityZones',
    'Filter.1.Name': 'opt-in-status',
    'Filter.1.Value.1': 'opt-in-not-required',
  })
  const zones = settings['ZONES']?.split(',').filter(Boolean).length || addressRanges.length
  const available = found.textsOf('zoneName').length
  const rows = [
    finding(available >= zones, {
      what: 'Availability Zones',
      found: String(available),
      wanted: String(zones),
      todo: `choose another region than ${aws.region} in AWS_REGION`,
    }),
    await rented('VPCs', 'DescribeVpcs', 'vpcId', 'vpc', 'L-F678F1CE', 1),
  ]
  if (['true', 'draining'].includes(settings['AGENTS_NAT'] ?? ''))
    rows.push(
      await rented(
        'Elastic IP addresses',
        'DescribeAddresses',
        'allocationId',
        'ec2',
        'L-0263D0A3',
        zones,
      ),
    )
  return rows

  async function rented(
    what: string,
    Action: string,
    element: string,
    service: string,
    code: string,
    needed: number,
  ): Promise<Finding> {
    const [quota, all, own] = await Promise.all([
      quotaOf(aws, service, code),
      aws.query('ec2', { Action }),
      aws.query('ec2', { Action, ...ownFilter(stage) }),
    ])
    const elsewhere = all.textsOf(element).length - own.textsOf(element).length
    return finding(quota >= elsewhere + needed, {
      what,
      found: `${quota}, of which ${elsewhere} are used elsewhere`,
      wanted: String(elsewhere + needed),
      todo: request(service, code, elsewhere + needed),
    })
  }
}

/** Compares the number of IAM roles that the account may still create with the number that the stage lacks. */
export async function roles({ aws, stage }: Subject): Promise<Finding[]> {
  const summary = await aws.query('iam', { Action: 'GetAccountSummary' })
  const counts = new Map(
    summary.textsOf('key').map((key, index) => [key, Number(summary.textsOf('value')[index])]),
  )
  const [used = 0, quota = 0] = [counts.get('Roles'), counts.get('RolesQuota')]
  const own = await rolesOf(aws, nameAtAws(stage, `${regionCode(aws.region)}-`))
  const needed = Math.max(0, functions.length + otherRoles - own)
  return [
    finding(quota >= used + needed, {
      what: 'IAM roles',
      found: `${quota}, of which ${used} are used`,
      wanted: String(used + needed),
      todo: 'request an increase of "Roles per account" in Service Quotas of us-east-1, or delete unused roles',
    }),
  ]
}

/** Returns the number of the account's roles with a prefix. */
async function rolesOf(aws: AwsCalls, prefix: string): Promise<number> {
  let count = 0
  let marker: string | undefined
  do {
    const page = await aws.query('iam', {
      Action: 'ListRoles',
      MaxItems: '1000',
      ...(marker !== undefined && { Marker: marker }),
    })
    count += page.textsOf('RoleName').filter((name) => name.startsWith(prefix)).length
    marker = page.textsOf('Marker')[0]
  } while (marker !== undefined)
  return count
}

const quotaSchema = z.object({ Quota: z.object({ Value: z.number() }) })

/** Returns a quota of the account; AWS's default if the account has no value of its own. */
async function quotaOf(aws: AwsCalls, ServiceCode: string, QuotaCode: string): Promise<number> {
  const ask = async (operation: string) =>
    quotaSchema.parse(
      await aws.json('servicequotas', `ServiceQuotasV20190624.${operation}`, {
        ServiceCode,
        QuotaCode,
      }),
    ).Quota.Value
  try {
    return await ask('GetServiceQuota')
  } catch (error) {
    if (!(error instanceof AwsError && error.name === 'NoSuchResourceException')) throw error
    return ask('GetAWSDefaultServiceQuota')
  }
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)
