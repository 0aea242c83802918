import { named, pascal } from './names.ts'
import { vpc } from './network.ts'
import { type Service, services as placed } from './placement.ts'
import { servicePort, serviceOrigins } from './service-origins.ts'
import { serviceTask } from './service-task.ts'

/** A load balancer's rule takes so many patterns of paths. */
const patternsOfRule = 5

/** Beyond the longest stream: so long the balancer lets those of a container go on that is to be stopped. */
const graceSeconds = (spec: Service) => spec.timeoutSeconds + 60

/** Above this part of its processor a container has too much to do, whatever is under way in it. */
const mostCpuPercent = 60

/** The services of this stage, with what tells whether they are well. */
export const services = placed.length === 0 ? [] : declareServices()

function declareServices() {
  // A cluster of its own: what may stop agents and hears of their tasks has nothing to do with it.
  const cluster = new aws.ecs.Cluster('ServicesCluster', { name: named('services') })
  return placed.map((spec) => declareService(spec, cluster))
}

function declareService(spec: Service, cluster: aws.ecs.Cluster) {
  const name = pascal(spec.name)
  const origin = serviceOrigins[spec.trigger.surface]
  if (origin === undefined) throw new Error(`${spec.name} has no load balancer`)
  const target = new aws.lb.TargetGroup(`${name}Target`, {
    vpcId: vpc.id,
    targetType: 'ip',
    protocol: 'HTTP',
    port: servicePort,
    // Streams are not alike: a new one goes where the fewest are.
    loadBalancingAlgorithmType: 'least_outstanding_requests',
    deregistrationDelay: graceSeconds(spec),
    healthCheck: { path: '/healthz', matcher: '200', interval: 10, healthyThreshold: 2 },
  })
  const rules = rulesOf(spec).map(
    (values, index) =>
      new aws.lb.ListenerRule(`${name}Rule${index}`, {
        listenerArn: origin.listener.arn,
        conditions: [{ pathPattern: { values } }],
        actions: [{ type: 'forward', targetGroupArn: target.arn }],
      }),
  )
  const service = new aws.ecs.Service(
    `${name}Service`,
    {
      name: named(spec.name),
      cluster: cluster.arn,
      taskDefinition: serviceTask(spec).arn,
      launchType: 'FARGATE',
      desiredCount: spec.service.least,
      networkConfiguration: {
        // As the router: a public address is the way out, and the group lets in nobody but the balancer.
        subnets: vpc.publicSubnets,
        securityGroups: [origin.group.id],
        assignPublicIp: true,
      },
      loadBalancers: [
        { targetGroupArn: target.arn, containerName: spec.name, containerPort: servicePort },
      ],
      healthCheckGracePeriodSeconds: 30,
      deploymentMinimumHealthyPercent: 100,
      deploymentMaximumPercent: 200,
      deploymentCircuitBreaker: { enable: true, rollback: true },
    },
    // How many there are is the scaling's to say from then on.
    { dependsOn: rules, ignoreChanges: ['desiredCount'] },
  )
  scale(spec, cluster, service)
  return { spec, balancer: origin.balancer, target }
}

/** The patterns of the group's paths, as many as a rule takes in each. */
function rulesOf({ trigger: { prefixes } }: Service): string[][] {
  const patterns = prefixes.flatMap((prefix) => [prefix, `${prefix}/*`])
  return Array.from({ length: Math.ceil(patterns.length / patternsOfRule) }, (_, i) =>
    patterns.slice(i * patternsOfRule, (i + 1) * patternsOfRule),
  )
}

/** By requests under way, which each container says of itself, and by its processor: short calls are not seen in the first. */
function scale(spec: Service, cluster: aws.ecs.Cluster, service: aws.ecs.Service): void {
  const name = pascal(spec.name)
  const { least, most, underWay } = spec.service
  const target = new aws.appautoscaling.Target(`${name}Scaling`, {
    serviceNamespace: 'ecs',
    resourceId: $interpolate`service/${cluster.name}/${service.name}`,
    scalableDimension: 'ecs:service:DesiredCount',
    minCapacity: least,
    maxCapacity: most,
  })
  const policy = (
    by: string,
    tracking: Partial<aws.types.input.appautoscaling.PolicyTargetTrackingScalingPolicyConfiguration> & {
      targetValue: number
    },
  ) =>
    new aws.appautoscaling.Policy(`${name}ScalingBy${by}`, {
      policyType: 'TargetTrackingScaling',
      serviceNamespace: target.serviceNamespace,
      resourceId: target.resourceId,
      scalableDimension: target.scalableDimension,
      targetTrackingScalingPolicyConfiguration: {
        // A container that goes takes a quarter of an hour to drain, so a short lull stops none.
        scaleInCooldown: 300,
        scaleOutCooldown: 30,
        ...tracking,
      },
    })
  policy('Streams', {
    targetValue: underWay,
    customizedMetricSpecification: {
      namespace: `AgentPlatform/${$app.stage}`,
      metricName: 'RequestsUnderWay',
      statistic: 'Average',
      dimensions: [{ name: 'function', value: spec.name }],
    },
  })
  policy('Processor', {
    targetValue: mostCpuPercent,
    predefinedMetricSpecification: { predefinedMetricType: 'ECSServiceAverageCPUUtilization' },
  })
}
