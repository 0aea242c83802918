/** Pulumi's mocks: they answer Pulumi's requests to the cloud from the program's declarations. */
import { lookUpNetwork } from './shared-network.ts'

export type Inputs = Record<string, unknown>

export interface Registration {
  type: string
  name: string
  inputs: Inputs
  /** The inputs that Pulumi encrypts in its state and never prints. */
  secrets: string[]
  /** True if the resource stays at AWS when the stage is removed, or when the program no longer declares it. */
  retained: boolean
  /** The inputs that do not change at AWS after the resource was created. */
  kept: string[]
}

const account = '123456789012'
const region = process.env['AWS_REGION'] || 'eu-west-1'

const arn = (service: string, rest: string, where = region) =>
  `arn:aws:${service}:${where}:${account}:${rest}`

const text = (value: unknown, fallback: string) => (typeof value === 'string' ? value : fallback)

/**
 * Returns the outputs of a new resource that the program reads. They derive from the logical name, since most physical
 * names are random.
 */
export function outputsOf({
  type,
  name,
  inputs,
}: Pick<Registration, 'type' | 'name' | 'inputs'>): Inputs {
  const input = text(inputs.name, name)
  switch (type) {
    case 'aws:lambda/function:Function': {
      const self = arn('lambda', `function:${input}`)
      return {
        arn: self,
        invokeArn: `${self}/invocations`,
        responseStreamingInvokeArn: `${self}/response-streaming-invocations`,
        version: '1',
      }
    }
    case 'aws:lambda/alias:Alias':
      return { arn: arn('lambda', `function:${text(inputs.functionName, '')}:${input}`) }
    case 'aws:sqs/queue:Queue':
      return {
        arn: arn('sqs', name),
        name,
        url: `https://sqs.${region}.amazonaws.com/${account}/${name}`,
      }
    case 'aws:s3/bucket:Bucket':
      return { arn: `arn:aws:s3:::${name}`, bucket: name }
    case 'aws:dynamodb/table:Table':
      return { arn: arn('dynamodb', `table/${name}`), name }
    case 'aws:efs/fileSystem:FileSystem':
      return { arn: arn('elasticfilesystem', `file-system/${name}`) }
    case 'aws:efs/accessPoint:AccessPoint':
      return { arn: arn('elasticfilesystem', `access-point/${name}`) }
    case 'aws:ecs/cluster:Cluster':
      return { arn: arn('ecs', `cluster/${input}`) }
    case 'aws:ecs/taskDefinition:TaskDefinition': {
      const self = arn('ecs', `task-definition/${text(inputs.family, name)}`)
      return { arn: `${self}:1`, arnWithoutRevision: self }
    }
    case 'aws:iam/role:Role':
      return { arn: arn('iam', `role/${input}`, '') }
    case 'aws:sesv2/emailIdentity:EmailIdentity':
      return { dkimSigningAttributes: { tokens: ['one', 'two', 'three'] } }
    case 'aws:kms/key:Key':
      return { arn: arn('kms', `key/${name}`) }
    case 'aws:cloudwatch/logGroup:LogGroup':
      return { arn: arn('logs', `log-group:${input}`) }
    case 'aws:cloudwatch/eventRule:EventRule':
      return { arn: arn('events', `rule/${input}`) }
    case 'aws:apigatewayv2/api:Api':
      return {
        apiEndpoint: `https://${name}.execute-api.${region}.amazonaws.com`,
        executionArn: arn('execute-api', name),
      }
    case 'aws:apigateway/restApi:RestApi':
      return { rootResourceId: `${name}-root`, executionArn: arn('execute-api', name) }
    case 'aws:cloudfront/distribution:Distribution':
      return {
        domainName: `${name.toLowerCase()}.cloudfront.net`,
        arn: arn('cloudfront', `distribution/${name}`, ''),
      }
    case 'aws:ec2/vpcEndpoint:VpcEndpoint':
      return { prefixListId: `pl-${name}` }
    case 'aws:lb/loadBalancer:LoadBalancer':
      return {
        arn: arn('elasticloadbalancing', `loadbalancer/app/${name}`),
        arnSuffix: `app/${name}`,
        dnsName: `${name.toLowerCase()}.${region}.elb.amazonaws.com`,
      }
    case 'aws:lb/targetGroup:TargetGroup':
      return {
        arn: arn('elasticloadbalancing', `targetgroup/${name}`),
        arnSuffix: `targetgroup/${name}`,
      }
    case 'random:index/randomBytes:RandomBytes':
      return { base64: Buffer.alloc(32).toString('base64') }
    default:
      return { arn: arn('mock', name) }
  }
}

/**
 * Returns the result of a look-up.
 * @throws Error if the look-up has no mock
 */
export function lookUp(token: string, inputs: Inputs): Inputs {
  switch (token) {
    case 'aws:index/getRegion:getRegion':
      return { region, name: region, id: region }
    case 'aws:index/getPartition:getPartition':
      return { partition: 'aws', dnsSuffix: 'amazonaws.com' }
    case 'aws:index/getCallerIdentity:getCallerIdentity':
      return { accountId: account }
    case 'aws:index/getAvailabilityZones:getAvailabilityZones':
      return { names: ['a', 'b', 'c'].map((zone) => `${region}${zone}`) }
    case 'aws:servicequotas/getServiceQuota:getServiceQuota':
      return { value: Number(process.env['CONCURRENCY_QUOTA'] ?? 1000) }
    case 'aws:ec2/getManagedPrefixList:getManagedPrefixList':
      return { id: `pl-${text(inputs.name, '')}` }
    case 'aws:iam/getPolicyDocument:getPolicyDocument':
      return { ...inputs, json: policyJson(inputs) }
    default: {
      const found = lookUpNetwork(token, inputs)
      if (found === undefined) throw new Error(`no mock for ${token}`)
      return found
    }
  }
}

interface PolicyStatement {
  effect?: string
  actions?: string[]
  resources?: string[]
  principals?: { type: string; identifiers: string[] }[]
  conditions?: { test: string; variable: string; values: string[] }[]
}

/** Returns a policy document as IAM reads it: conditions with the same operator are merged. */
function policyJson(inputs: Inputs): string {
  const statements = (inputs.statements ?? []) as PolicyStatement[]
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: statements.map((statement) => ({
      Effect: statement.effect ?? 'Allow',
      Action: statement.actions ?? [],
      Resource: statement.resources ?? [],
      Principal: Object.fromEntries(
        (statement.principals ?? []).map(({ type, identifiers }) => [type, identifiers]),
      ),
      Condition: conditionsOf(statement),
    })),
  })
}

function conditionsOf({ conditions = [] }: PolicyStatement): Record<string, Inputs> {
  const merged: Record<string, Inputs> = {}
  for (const { test, variable, values } of conditions)
    merged[test] = { ...merged[test], [variable]: values }
  return merged
}
