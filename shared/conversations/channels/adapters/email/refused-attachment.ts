/** Returns why a file cannot be an attachment; undefined if it can. */
export function refusedAttachment({
  name,
  size,
}: {
  name: string
  size: number
}): string | undefined {
  if (refused.test(name)) return 'Mail services refuse programs as attachments'
  return size > longestFile ? `A file of a mail has at most ${longestFile} bytes` : undefined
}

/** SES accepts 40 MB as base64; many receivers take 10 MB: https://docs.aws.amazon.com/ses/latest/dg/quotas.html */
const longestFile = 7 * 1024 * 1024

/** The extensions of programs, which SES refuses: https://docs.aws.amazon.com/ses/latest/dg/mime-types.html */
const refused =
  /\.(ade|adp|app|asp|bas|bat|cer|chm|cmd|com|cpl|crt|csh|der|dll|exe|fxp|gadget|hlp|hta|inf|ins|isp|its|js|jse|ksh|lib|lnk|mad|maf|mag|mam|maq|mar|mas|mat|mau|mav|maw|mda|mdb|mde|mdt|mdw|mdz|msc|msh|msi|msp|mst|ops|pcd|pif|plg|prf|prg|reg|scf|scr|sct|shb|shs|sys|ps1|ps1xml|ps2|psc1|psc2|tmp|url|vb|vbe|vbs|vps|vsmacros|vss|vst|vsw|vxd|ws|wsc|wsf|wsh|xnk)$/i
