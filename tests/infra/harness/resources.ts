import type { Resources } from '../../../bench/costs/idle/resources.ts'
import type { Declared } from './declare.ts'
import type { Inputs } from './mocks.ts'

/** AWS creates two alarms for each target tracking policy. */
const alarmsOfPolicy = 2

/** Types that are billed while they exist. `resourcesOf` counts all of them. */
const billed = new Set([
  'aws:appautoscaling/policy:Policy',
  'aws:appautoscaling/target:Target',
  'aws:cloudwatch/metricAlarm:MetricAlarm',
  'aws:ec2/eip:Eip',
  'aws:ec2/natGateway:NatGateway',
  'aws:ec2/vpcEndpoint:VpcEndpoint',
  'aws:ecs/service:Service',
  'aws:kms/key:Key',
  'aws:lb/loadBalancer:LoadBalancer',
  'aws:servicediscovery/privateDnsNamespace:PrivateDnsNamespace',
])

/** Types that are free, or billed by storage and usage. */
const free = [
  /^(pulumi|random|sst):/,
  /^aws:(apigateway|apigatewayv2|codedeploy|efs|iam|scheduler|ses|sesv2|sns|sqs|vpc)\//,
  /^aws:cloudfront\/(distribution|function|originAccessControl|responseHeadersPolicy|vpcOrigin):/,
  /^aws:cloudwatch\/(eventRule|eventTarget|logGroup):/,
  /^aws:dynamodb\/table:/,
  /^aws:ec2\/(defaultSecurityGroup|internetGateway|routeTable|routeTableAssociation|securityGroup|subnet|vpc|vpcIpv4CidrBlockAssociation):/,
  /^aws:ecs\/(cluster|clusterCapacityProviders|taskDefinition):/,
  /^aws:lambda\/(alias|eventSourceMapping|function|functionEventInvokeConfig|functionRecursionConfig|permission):/,
  /^aws:lb\/(listener|listenerRule|targetGroup):/,
  /^aws:s3\/(bucket|bucketCorsConfiguration|bucketLifecycleConfiguration|bucketNotification|bucketObjectv2|bucketPolicy|bucketPublicAccessBlock):/,
  // Standard parameters; other tiers are billed per month.
  /^aws:ssm\/parameter:/,
]

/** Returns the declared types that are in neither list. A new type must be added to one of them. */
export function unpricedTypes({ registrations }: Declared): string[] {
  const types = [...new Set(registrations.map(({ type }) => type))]
  return types.filter((type) => !billed.has(type) && !free.some((one) => one.test(type)))
}

/** Counts a stage's resources that AWS bills while they exist. */
export function resourcesOf(stack: Declared): Resources {
  const all = (type: string) =>
    stack.registrations.filter((entry) => entry.type === type).map(({ inputs }) => inputs)
  const count = (type: string) => all(type).length
  const balancers = all('aws:lb/loadBalancer:LoadBalancer')
  const services = all('aws:ecs/service:Service').map((service) => {
    const { vcpu, gb } = sizeOf(stack, String(service.taskDefinition))
    const { assignPublicIp } = service.networkConfiguration as Inputs
    const addresses = assignPublicIp === true ? 1 : 0
    return { containers: Number(service.desiredCount), vcpu, gb, addresses }
  })
  const inAll = (size: 'vcpu' | 'gb' | 'addresses') =>
    sum(services.map((service) => service.containers * service[size]))
  const interfaces = all('aws:ec2/vpcEndpoint:VpcEndpoint').filter(
    ({ vpcEndpointType }) => vpcEndpointType === 'Interface',
  )
  return {
    alarms:
      sum(all('aws:cloudwatch/metricAlarm:MetricAlarm').map(metricsOf)) +
      alarmsOfPolicy * count('aws:appautoscaling/policy:Policy'),
    keys: count('aws:kms/key:Key'),
    dnsZones: count('aws:servicediscovery/privateDnsNamespace:PrivateDnsNamespace'),
    endpoints: sum(interfaces.map(({ subnetIds }) => listed(subnetIds))),
    natGateways: count('aws:ec2/natGateway:NatGateway'),
    balancers: balancers.length,
    containers: sum(services.map(({ containers }) => containers)),
    vcpu: inAll('vcpu'),
    gb: inAll('gb'),
    services: count('aws:appautoscaling/target:Target'),
    // A load balancer on the internet has one address in each of its subnets.
    addresses:
      inAll('addresses') +
      count('aws:ec2/eip:Eip') +
      sum(balancers.map(({ internal, subnets }) => (internal === true ? 0 : listed(subnets)))),
  }
}

/** Returns the number of metrics that an alarm reads. AWS bills each like an alarm. */
function metricsOf({ metricQueries }: Inputs): number {
  if (metricQueries === undefined) return 1
  return (metricQueries as Inputs[]).filter(({ metric }) => metric !== undefined).length
}

function sizeOf(stack: Declared, arn: string): { vcpu: number; gb: number } {
  const definitions = [...stack.all('aws:ecs/taskDefinition:TaskDefinition').values()]
  const found = definitions.find(({ family }) => arn.includes(`/${String(family)}:`))
  if (found === undefined) throw new Error(`${arn} is not a task definition of the stage`)
  return { vcpu: Number(found.cpu) / 1024, gb: Number(found.memory) / 1024 }
}

const listed = (value: unknown) => (value as unknown[]).length

const sum = (figures: readonly number[]) => figures.reduce((total, figure) => total + figure, 0)
