/** Returns the readme of an archive, for people. */
export function readme(name: string): string {
  return `# ${name}

These files describe an agent. \`POST /api/agents/import\` creates an agent from them.

- \`agent.json\`: its name, model, plan and config
- \`system-prompt.md\`: its system prompt
- \`memory/\`: its notes, one file per note, named after its key
- \`policy.json\`: its policy, if it has one
- \`skills.json\`: its skills; \`skills/\` contains their texts for reading; an import installs the skills from the catalogue
- \`schedules.json\`: its scheduled tasks
- \`files/\`: the files of its workspace
- \`conversations.jsonl\`: its messages, one per line, oldest first; only the newest ones if there was no room for all

An import disables \`bus\`, \`wakeOnMessage\`, \`mcp\` and all schedules. Read the prompt, the notes and the schedules
before you enable any of them with \`PUT /api/agents/{id}/config\` and
\`PUT /api/scheduled-tasks\`.

The files contain no secret. Set the channel tokens, webhook, credentials and keys of the new agent again, and also \`paidGateway\`.
`
}
