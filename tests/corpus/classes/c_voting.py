import numpy as np

CANDIDATES = ["Ann", "Bob", "Cem", "Dia"]


class Candidate:
    def __init__(self, name, number):
        self.name = name
        self.number = number
        self.eliminated = False
        self.tally = []

    def __repr__(self):
        return "Candidate(%r)" % self.name


class Election:
    def __init__(self, names, ballots):
        self.candidates = [Candidate(n, i) for i, n in enumerate(names)]
        self.ballots = ballots
        self.rounds = 0

    def standing(self):
        return [c for c in self.candidates if not c.eliminated]

    def count_round(self):
        votes = np.zeros(len(self.candidates))
        for ballot in self.ballots:
            for choice in ballot:
                if not self.candidates[choice].eliminated:
                    votes[choice] += 1
                    break
        for c in self.candidates:
            c.tally.append(votes[c.number])
        self.rounds += 1
        return votes

    def instant_runoff(self):
        while True:
            votes = self.count_round()
            if votes.max() > len(self.ballots) / 2:
                return self.candidates[int(np.argmax(votes))]
            loser = min(self.standing(), key=lambda c: (votes[c.number], c.number))
            loser.eliminated = True
            print("round %d: %s is out" % (self.rounds, loser.name))

    def borda(self):
        n = len(self.candidates)
        points = np.zeros(n)
        for ballot in self.ballots:
            for place, choice in enumerate(ballot):
                points[choice] += n - 1 - place
        return points

    def pairwise(self):
        n = len(self.candidates)
        M = np.zeros((n, n))
        for ballot in self.ballots:
            for i, a in enumerate(ballot):
                for b in ballot[i + 1:]:
                    M[a, b] += 1
        return M


if __name__ == "__main__":
    np.random.seed(2)
    ballots = [np.random.permutation(len(CANDIDATES)) for _ in range(25)]
    election = Election(CANDIDATES, ballots)
    winner = election.instant_runoff()
    tallies = np.array([c.tally for c in election.candidates])
    borda = election.borda()
    duels = election.pairwise()
    for c in election.candidates:
        others = [d for d in election.candidates if d is not c]
        if all(duels[c.number, d.number] > duels[d.number, c.number] for d in others):
            print("Condorcet winner:", c.name)
            break
    else:
        print("no Condorcet winner")
    print("runoff winner:", winner.name, " Borda winner:", CANDIDATES[borda.argmax()])
    margin = float(tallies[winner.number, -1] - 12.5)
