import { named } from './names.ts'
import { vpc } from './network.ts'
import { routerGroups, routerPort } from './router-network.ts'
import { routerContainer, routerTask } from './router-task.ts'

/** The idle timeout of connections, such as one that waits for an agent's next message. */
const silenceSeconds = 900

/**
 * The router at `*.AGENTS_DOMAIN`: a load balancer that terminates TLS, and behind it Caddy, which asks the platform's gate
 * about every request and forwards it to the address in the gate's response. Declared if AGENTS_CERTIFICATE_ARN names an
 * ACM certificate for those hosts. Their DNS record must point to the output `agents`.
 */
export const router = declareRouter()

function declareRouter() {
  const certificateArn = process.env.AGENTS_CERTIFICATE_ARN
  if (!certificateArn) return undefined
  const domain = process.env.AGENTS_DOMAIN
  if (!domain) throw new Error('AGENTS_CERTIFICATE_ARN is set, but AGENTS_DOMAIN is not')
  const groups = routerGroups()
  const balancer = new aws.lb.LoadBalancer('RouterBalancer', {
    loadBalancerType: 'application',
    internal: false,
    subnets: vpc.publicSubnets,
    securityGroups: [groups.entrance.id],
    idleTimeout: silenceSeconds,
    // Rejects requests that two parsers could interpret differently.
    desyncMitigationMode: 'strictest',
    dropInvalidHeaderFields: true,
    preserveHostHeader: true,
    enableDeletionProtection: $app.protect,
  })
  const target = new aws.lb.TargetGroup('RouterTarget', {
    vpcId: vpc.id,
    targetType: 'ip',
    protocol: 'HTTP',
    port: routerPort,
    deregistrationDelay: 60,
    healthCheck: { path: '/healthz', matcher: '200', interval: 10, healthyThreshold: 2 },
  })
  const listener = new aws.lb.Listener('RouterListener', {
    loadBalancerArn: balancer.arn,
    protocol: 'HTTPS',
    port: 443,
    sslPolicy: 'ELBSecurityPolicy-TLS13-1-2-2021-06',
    certificateArn,
    defaultActions: [{ type: 'forward', targetGroupArn: target.arn }],
  })
  // A separate cluster: permissions on agents' tasks and events about them do not cover the router.
  const cluster = new aws.ecs.Cluster('RouterCluster', { name: named('router') })
  new aws.ecs.Service(
    'RouterService',
    {
      name: named('router'),
      cluster: cluster.arn,
      taskDefinition: routerTask(domain).arn,
      launchType: 'FARGATE',
      desiredCount: 2,
      networkConfiguration: {
        subnets: vpc.publicSubnets,
        securityGroups: [groups.router.id],
        assignPublicIp: true,
      },
      loadBalancers: [
        {
          targetGroupArn: target.arn,
          containerName: routerContainer,
          containerPort: routerPort,
        },
      ],
      deploymentMinimumHealthyPercent: 100,
      deploymentCircuitBreaker: { enable: true, rollback: true },
    },
    { dependsOn: listener },
  )
  return { balancer, target }
}
