import { gatewayPort, type Surface, surfaces } from '#shared/manifest/index.ts'
import { namedGlobally, pascal } from './names.ts'
import { agentsGroup, securityGroup, vpc } from './network.ts'
import { servicesOf } from './placement.ts'
import { connect, tcp } from './security-rules.ts'

/** The port that services listen on, behind their load balancer. */
export const servicePort = 8080

/** Equal to the edge's wait between two parts of a response, and shorter than services keep a connection alive (75 s). */
const silenceSeconds = 60

/** The entry to a surface's services. */
export interface ServiceOrigin {
  balancer: aws.lb.LoadBalancer
  listener: aws.lb.Listener
  /** The edge's connection to the load balancer, which is not on the internet. */
  door: aws.cloudfront.VpcOrigin
  /** The group of the services, which accepts traffic from the balancer only. */
  group: aws.ec2.SecurityGroup
}

/**
 * A load balancer for each surface that has services in this stage. It is inside the network, and the edge reaches it by a
 * VPC origin. It has no internet address, so callers cannot bypass the edge, and it needs no certificate.
 */
export const serviceOrigins: Partial<Record<Surface, ServiceOrigin>> = Object.fromEntries(
  surfaces
    .filter((surface) => servicesOf(surface).length > 0)
    .map((surface) => [surface, origin(surface)]),
)

function origin(surface: Surface): ServiceOrigin {
  const name = pascal(surface)
  const entrance = securityGroup(`${name}ServicesEntrance`, `The services of ${surface}`)
  const group = securityGroup(`${name}Services`, `Where services of ${surface} run`)
  new aws.vpc.SecurityGroupIngressRule(`${name}ServicesFromEdge`, {
    securityGroupId: entrance.id,
    prefixListId: aws.ec2.getManagedPrefixListOutput({
      name: 'com.amazonaws.global.cloudfront.origin-facing',
    }).id,
    ...tcp(80),
  })
  connect(`${name}EntranceToServices`, entrance, group, servicePort)
  // Model providers and AWS services. Neither have fixed addresses.
  new aws.vpc.SecurityGroupEgressRule(`${name}ServicesOut`, {
    securityGroupId: group.id,
    cidrIpv4: '0.0.0.0/0',
    ...tcp(443),
  })
  if (servicesOf(surface).some(({ vpc: reachesAgents }) => reachesAgents))
    connect(`${name}ServicesToAgents`, group, agentsGroup, gatewayPort)
  const balancer = new aws.lb.LoadBalancer(`${name}ServicesBalancer`, {
    loadBalancerType: 'application',
    internal: true,
    subnets: vpc.privateSubnets,
    securityGroups: [entrance.id],
    idleTimeout: silenceSeconds,
    // Rejects requests that two parsers could interpret differently.
    desyncMitigationMode: 'strictest',
    dropInvalidHeaderFields: true,
    enableDeletionProtection: $app.protect,
  })
  const listener = new aws.lb.Listener(`${name}ServicesListener`, {
    loadBalancerArn: balancer.arn,
    protocol: 'HTTP',
    port: 80,
    defaultActions: [
      {
        type: 'fixed-response',
        fixedResponse: {
          contentType: 'application/json',
          messageBody: JSON.stringify({ error: 'Not found' }),
          statusCode: '404',
        },
      },
    ],
  })
  const door = new aws.cloudfront.VpcOrigin(`${name}ServicesDoor`, {
    vpcOriginEndpointConfig: {
      name: namedGlobally(`${surface}-services`),
      arn: balancer.arn,
      httpPort: 80,
      httpsPort: 443,
      originProtocolPolicy: 'http-only',
      originSslProtocols: { items: ['TLSv1.2'], quantity: 1 },
    },
  })
  return { balancer, listener, door, group }
}
