import { named, pascal } from './names.ts'
import { vpc } from './network.ts'
import { type Service, services as placed } from './placement.ts'
import { servicePort, serviceOrigins } from './service-origins.ts'
import { serviceTask } from './service-task.ts'

/** The maximum number of path patterns in a load balancer's rule. */
const patternsOfRule = 5

/** The balancer keeps the streams of a stopping container open for this time: longer than the longest stream, in seconds. */
const graceSeconds = (spec: Service) => spec.timeoutSeconds + 60

/** Above this CPU utilization, the service scales out, even with few requests. */
const maxCpuPercent = 60

/** The services of this stage with their health metrics. */
export const services = placed.length === 0 ? [] : declareServices()

function declareServices() {
  // A separate cluster: permissions on agents' tasks and events about them do not cover services.
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
    // Streams differ in load, so a new one goes to the container with the fewest.
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
        // A public address is the only way out, as for the router. The group accepts traffic from the balancer only.
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
    // After the first deployment, auto scaling sets the number of containers.
    { dependsOn: rules, ignoreChanges: ['desiredCount'] },
  )
  scale(spec, cluster, service)
  return { spec, balancer: origin.balancer, target }
}

/** Divides the group's path patterns into lists that each fit into one rule. */
function rulesOf({ trigger: { prefixes } }: Service): string[][] {
  const patterns = prefixes.flatMap((prefix) => [prefix, `${prefix}/*`])
  return Array.from({ length: Math.ceil(patterns.length / patternsOfRule) }, (_, i) =>
    patterns.slice(i * patternsOfRule, (i + 1) * patternsOfRule),
  )
}

/** Scales by active requests, which each container reports, and by CPU, which short calls use although few are active. */
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
        // Draining a container takes a quarter of an hour, so a short lull must not stop one.
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
    targetValue: maxCpuPercent,
    predefinedMetricSpecification: { predefinedMetricType: 'ECSServiceAverageCPUUtilization' },
  })
}
