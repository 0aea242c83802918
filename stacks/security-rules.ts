type Group = aws.ec2.SecurityGroup

/** Both ends of one way: one may go out by it, the other lets in who comes by it. */
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

export function tcp(port: number) {
  return { ipProtocol: 'tcp', fromPort: port, toPort: port }
}
