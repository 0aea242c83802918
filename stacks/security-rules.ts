type Group = aws.ec2.SecurityGroup

/** Allows traffic on a port from one group to another: an egress rule on one and an ingress rule on the other. */
export function connect(name: string, from: Group, to: Group, port: number): void {
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

/** Returns a rule's protocol and port. */
export function tcp(port: number) {
  return { ipProtocol: 'tcp', fromPort: port, toPort: port }
}
