import { gatewayPort } from '#shared/manifest/index.ts'
import { agentsGroup, securityGroup } from './network.ts'
import { connect, tcp } from './security-rules.ts'

/** The port that the router listens on, behind its load balancer. */
export const routerPort = 8080

/** Creates the security groups: from the internet to the load balancer, from there to the router, and on to agents and the gate. */
export function routerGroups() {
  const entrance = securityGroup('RouterEntrance', 'Load balancer of the agent hosts')
  const router = securityGroup('Router', 'Router of the agent hosts')
  for (const [version, range] of Object.entries({
    V4: { cidrIpv4: '0.0.0.0/0' },
    V6: { cidrIpv6: '::/0' },
  }))
    new aws.vpc.SecurityGroupIngressRule(`RouterEntranceFrom${version}`, {
      securityGroupId: entrance.id,
      ...range,
      ...tcp(443),
    })
  connect('RouterEntranceToRouter', entrance, router, routerPort)
  connect('RouterToAgents', router, agentsGroup, gatewayPort)
  // The gate has no fixed addresses, and neither does the image's registry.
  new aws.vpc.SecurityGroupEgressRule('RouterToGate', {
    securityGroupId: router.id,
    cidrIpv4: '0.0.0.0/0',
    ...tcp(443),
  })
  return { entrance, router }
}
