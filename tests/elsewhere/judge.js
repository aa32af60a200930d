// A provider of promptfoo's that calls no model: it prefers the longer candidate.
module.exports = class {
  id() { return 'counting-letters'; }
  async callApi(prompt) {
    const [, a, b] = /\[A\]\n(.*?)\n\[B\]\n(.*?)\n\[End\]/s.exec(prompt);
    const winner = a.length === b.length ? 'C' : a.length > b.length ? 'A' : 'B';
    return { output: `The verdict is [[${winner}]]`, tokenUsage: { total: 12, prompt: 10, completion: 2 } };
  }
};
