/** Returns the readme of an archive, for people. */
export function readme(name: string): string {
  return `# ${name}

This is an agent, as readable files. \`POST /api/agents/import\` makes an agent of it.

- \`agent.json\`: its name, model, plan and config
- \`system-prompt.md\`: its system prompt
- \`memory/\`: its notes, each a file that is named by its key
- \`skills.json\`: its skills; \`skills/\` has their texts for reading, an import installs those of the catalogue
- \`schedules.json\`: its scheduled tasks
- \`conversations.jsonl\`: what was said with it, a message a line, oldest first; the newest where there was no room for all

An import leaves \`bus\`, \`wakeOnMessage\` and \`mcp\` off and the schedules disabled, whatever stands in the files. Read the
prompt, the notes and the schedules first; then switch on what you want by \`PUT /api/agents/{id}/config\` and
\`PUT /api/scheduled-tasks\`.

No secret is among them: its channel tokens, webhook, credentials and keys are to be given to the new agent, and so is \`paidGateway\`.
`
}
