import { gatewayPort } from '../shared/manifest/index.ts'
import { agentsGroup, securityGroup } from './network.ts'

/** The port that the router listens on, behind its load balancer. */
export const routerPort = 8080

/** Where the world comes in, the way to the router, and the router's own ways: to agents, and to the gate. */
export function routerGroups() {
  const entrance = securityGroup('RouterEntrance', 'The agents’ hosts, as the world sees them')
  const router = securityGroup('Router', 'The router of the agents’ hosts')
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
  // The gate has no fixed addresses, and the image's registry has none either.
  new aws.vpc.SecurityGroupEgressRule('RouterToGate', {
    securityGroupId: router.id,
    cidrIpv4: '0.0.0.0/0',
    ...tcp(443),
  })
  return { entrance, router }
}

type Group = aws.ec2.SecurityGroup

/** Both ends of one way: one may go out by it, the other lets in who comes by it. */
function connect(name: string, from: Group, to: Group, port: number): void {
  new aws.vpc.SecurityGroupEgressRule(name, {
    securityGroupId: from.id,
    referencedSecurityGroupId: to.id,
    ...tcp(port),
  })
  new aws.vpc.SecurityGroupIngressRule(name, {
    securityGroupId: to.id,
    referencedSecurityGroupId: from.id,
    ...tcp(port),
  })
}

function tcp(port: number) {
  return { ipProtocol: 'tcp', fromPort: port, toPort: port }
}
